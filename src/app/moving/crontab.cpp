#include "app/moving/crontab.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text/ascii.hpp"

namespace belfry::app {

namespace crontab {

constexpr std::size_t kCommentMax = 1'000;  // bytes that are kept as a description

std::string_view take_word(std::string_view& rest) {
    rest = trimmed(rest);
    const auto end = std::min(rest.find_first_of(" \t"), rest.size());
    const auto word = rest.substr(0, end);
    rest.remove_prefix(end);
    return word;
}

std::string unquoted(std::string_view text) {
    const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

struct Setting {
    std::string name;
    std::string value;
};

// `NAME = value`. Blanks in a name mean that the line has fields.
std::optional<Setting> setting_of(std::string_view line) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const auto name = unquoted(trimmed(line.substr(0, equals)));
    const bool usual = !name.empty() && !is_digit(name[0]) &&
                       std::ranges::all_of(name, [](char c) { return is_alpha(c) || is_digit(c) || c == '_'; });
    if (!usual) return std::nullopt;
    return Setting{name, unquoted(trimmed(line.substr(equals + 1)))};
}

// Fields and what follows them: five, or one macro.
struct Split {
    std::string cron;
    std::string rest;
    std::size_t fields = 0;
};

Split split_fields(std::string_view line) {
    Split split;
    if (line.starts_with('-')) line.remove_prefix(1);  // cronie and SUSE: do not log
    const std::size_t wanted = line.starts_with('@') ? 1 : 5;
    while (split.fields < wanted) {
        const auto word = take_word(line);
        if (word.empty()) break;
        split.cron += (split.cron.empty() ? "" : " ") + std::string(word);
        ++split.fields;
    }
    if (split.fields < wanted) split.cron.clear();
    split.rest = trimmed(line);
    return split;
}

std::string problem_of_times(std::string_view cron) {
    constexpr std::array<std::string_view, 7> kMacros{"@yearly", "@annually", "@monthly", "@weekly",
                                                      "@daily",  "@midnight", "@hourly"};
    if (cron.empty()) return "has too few fields: use five fields and a command";
    if (same_ignoring_case(cron, "@reboot"))
        return "@reboot is not a time: start the command with the machine, such as by a systemd unit";
    if (cron.starts_with('@') && std::ranges::find(kMacros, lower_case(cron)) == kMacros.end())
        return std::string(cron) + " is unknown: use five fields, or @hourly, @daily, @weekly, @monthly or @yearly";
    if (cron.find('~') != std::string_view::npos)
        return "~ chooses a random time: write the time, and spread runs with schedule create --jitter";
    return "";
}

// The first % ends the command, later ones end lines of its input.
void take_command(std::string_view text, CrontabEntry& entry) {
    bool in_input = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto& into = in_input ? entry.input : entry.command;
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '%') {
            into += text[++i];
        } else if (text[i] != '%') {
            into += text[i];
        } else if (in_input) {
            into += '\n';
        } else {
            in_input = true;
        }
    }
    if (in_input && !entry.input.ends_with('\n')) entry.input += '\n';
    entry.command = trimmed(entry.command);
}

bool is_user_nobody_mistakes(std::string_view word) {
    constexpr std::array<std::string_view, 5> kUsers{"root", "www-data", "nobody", "daemon", "smmsp"};
    return std::ranges::find(kUsers, word) != kUsers.end();
}

// A comment that heads the columns, as /etc/crontab has, or an entry that someone switched off.
bool is_layout(std::string_view comment) {
    const auto lower = lower_case(comment);
    const bool heads = lower.find("dow") != std::string::npos && lower.find("command") != std::string::npos;
    const bool drawn = comment.find('|') != std::string_view::npos || comment.find("---") != std::string_view::npos;
    const bool entry = !comment.empty() && (is_digit(comment[0]) || comment[0] == '*' || comment[0] == '@');
    return heads || drawn || entry || std::ranges::none_of(comment, is_alpha);
}

std::string_view next_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

CrontabForm detect(std::string_view text) {
    while (!text.empty()) {
        const auto line = trimmed(next_line(text));
        if (line.empty() || line.starts_with('#') || setting_of(line)) continue;
        const auto split = split_fields(line);
        std::string_view rest = split.rest;
        const auto word = take_word(rest);
        if (is_user_nobody_mistakes(word) && !trimmed(rest).empty()) return CrontabForm::system;
    }
    return CrontabForm::user;
}

class Reader {
public:
    explicit Reader(CrontabForm form) { crontab_.form = form; }

    void take(std::string_view whole) {
        ++line_;
        const auto line = trimmed(whole);
        if (line.empty()) return comment_.clear();
        if (line.starts_with('#')) return take_comment(line);
        if (const auto setting = setting_of(line)) return apply(*setting);
        add(line);
        comment_.clear();
    }

    [[nodiscard]] Crontab result() && { return std::move(crontab_); }

private:
    void take_comment(std::string_view line) {
        while (line.starts_with('#')) line.remove_prefix(1);
        line = trimmed(line);
        if (is_layout(line)) return comment_.clear();
        if (comment_.size() + line.size() < kCommentMax) comment_ += (comment_.empty() ? "" : " ") + storable(line);
    }

    void apply(const Setting& setting) {
        comment_.clear();
        if (setting.name == "CRON_TZ") {
            timezone_ = setting.value;
        } else if (setting.name == "MAILTO") {
            mail_to_ = setting.value;
        } else if (setting.name == "RANDOM_DELAY") {
            random_delay_ = setting.value;
        } else if (setting.name != "MAILFROM") {
            env_[setting.name] = storable(setting.value);
        }
    }

    void add(std::string_view line) {
        CrontabEntry entry{.line = line_, .text = storable(line)};
        auto split = split_fields(line);
        entry.cron = split.cron;
        entry.problem = problem_of_times(split.cron);
        std::string_view rest = split.rest;
        if (crontab_.form == CrontabForm::system) entry.user = take_word(rest);
        take_command(trimmed(rest), entry);
        entry.env = env_;
        entry.timezone = timezone_;
        entry.mail_to = mail_to_;
        entry.random_delay = random_delay_;
        entry.comment = comment_;
        if (entry.problem.empty() && entry.command.empty())
            entry.problem = crontab_.form == CrontabForm::system
                                ? "has no command after the user: add it, or use --user"
                                : "has no command: add it after the five fields";
        if (entry.problem.empty() && entry.text != line) entry.problem = "is not UTF-8: convert the file";
        crontab_.entries.push_back(std::move(entry));
    }

    Crontab crontab_;
    std::size_t line_ = 0;
    std::map<std::string, std::string> env_;
    std::string timezone_;
    std::string mail_to_;
    std::string random_delay_;
    std::string comment_;
};

}  // namespace crontab

Crontab parse_crontab(std::string_view text, CrontabForm form) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    crontab::Reader reader(form == CrontabForm::automatic ? crontab::detect(text) : form);
    while (!text.empty()) reader.take(crontab::next_line(text));
    return std::move(reader).result();
}

}  // namespace belfry::app
