#include "app/reloader.hpp"

#include "app/setting_values.hpp"

namespace belfry::app {

void Reloader::reload() {
    apply();
    files_();
}

void Reloader::apply() {
    auto loaded = load_settings(sources_);
    if (!loaded) return log_.error("the settings cannot be read; all stays as it was", {{"error", loaded.error().message}});
    // Before it is said: a level that is raised says it still, one that is lowered already.
    log_.set(loaded->values.log_format);
    if (loaded->values.log_level < applied_.values.log_level) log_.set(loaded->values.log_level);
    log_.info("reading the settings again");
    for (std::size_t i = 0; i < loaded->effective.size(); ++i) compare(applied_.effective[i], loaded->effective[i]);
    log_.set(loaded->values.log_level);
    applied_ = std::move(*loaded);
}

void Reloader::compare(const EffectiveSetting& before, const EffectiveSetting& now) {
    if (before.text == now.text) return;
    log_.write(now.setting->reloads ? LogLevel::info : LogLevel::warn,
               now.setting->reloads ? "setting changed" : "setting changed; it needs a restart",
               {{"setting", now.setting->name}, {"value", without_password(now.text)}, {"origin", now.origin}});
}

}  // namespace belfry::app
