// What operators asked for and what they were answered, against what the audit stream says was done: 13 and 17. Every
// command has a name of its own, which the events carry.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace belfry::sim {

enum class CommandKind : std::uint8_t { create, update, pause, resume, remove, trigger };
enum class Answer : std::uint8_t {
    none,     // not yet, or never: it got lost
    done,     // acknowledged
    refused,  // an error that promises that nothing was changed
    unknown,  // an error that promises nothing
};

class OracleCommands {
public:
    using Breach = std::function<void(int, const std::string&)>;
    explicit OracleCommands(Breach breach) : breach_(std::move(breach)) {}

    // Names a new command.
    [[nodiscard]] std::string ask(CommandKind kind) {
        auto name = "command-" + std::to_string(commands_.size() + 1);
        commands_[name] = {kind, Answer::none, 0};
        return name;
    }
    void answer(const std::string& name, Answer answer) {
        auto& command = commands_.at(name);
        command.answer = answer;
        if (answer == Answer::refused && command.effects > 0) breach_(17, name + " was refused and yet it happened");
        // Pausing what is paused and changing nothing are fine and silent.
        const bool may_be_silent = command.kind == CommandKind::pause || command.kind == CommandKind::update;
        if (answer == Answer::done && command.effects == 0 && !may_be_silent)
            breach_(17, name + " was acknowledged and did not happen");
    }
    // The audit stream tells of it.
    void happened(const std::string& name, CommandKind kind) {
        const auto found = commands_.find(name);
        if (found == commands_.end()) return breach_(8, "an event names " + name + ", which nobody asked for");
        if (found->second.kind != kind) return;  // what follows from it, as the deletion after the last run
        if (++found->second.effects > 1) breach_(13, name + " happened twice");
        if (found->second.answer == Answer::refused) breach_(17, name + " was refused and yet it happened");
    }

private:
    struct Command {
        CommandKind kind = CommandKind::create;
        Answer answer = Answer::none;
        int effects = 0;
    };
    Breach breach_;
    std::map<std::string, Command> commands_;
};

}  // namespace belfry::sim
