#include "app/server/reloader.hpp"

#include "app/settings/setting_values.hpp"

namespace belfry::app {

void Reloader::reload() {
    apply();
    files_();
}

void Reloader::apply() {
    auto loaded = load_settings(sources_);
    if (!loaded)
        return log_.error("cannot read the settings; the current ones stay in effect",
                          {{"error", loaded.error().message}});
    // A lower level applies before the lines below and a higher one after them, so that both log the change.
    log_.set(loaded->values.log_format);
    if (loaded->values.log_level < applied_.values.log_level) log_.set(loaded->values.log_level);
    log_.info("reloading the settings");
    for (std::size_t i = 0; i < loaded->effective.size(); ++i) compare(applied_.effective[i], loaded->effective[i]);
    log_.set(loaded->values.log_level);
    applied_ = std::move(*loaded);
}

void Reloader::compare(const EffectiveSetting& before, const EffectiveSetting& now) {
    if (before.text == now.text) return;
    log_.write(now.setting->reloads ? LogLevel::info : LogLevel::warn,
               now.setting->reloads ? "setting changed" : "setting changed; restart the server to apply it",
               {{"setting", now.setting->name}, {"value", without_password(now.text)}, {"origin", now.origin}});
}

}  // namespace belfry::app
