// Workflows as people write them, in YAML: no text breaks the reader, what it reads is JSON within its limits, and a
// workflow that it yields is written and read back equal; one that passes the check can be walked to its end.
#include <algorithm>
#include <set>

#include "base/text/yaml.hpp"
#include "fuzz_target.hpp"
#include "model/schedule/reference.hpp"
#include "model/schedule/schedule_json.hpp"
#include "model/workflow/workflow_check.hpp"
#include "model/workflow/workflow_json.hpp"
#include "require.hpp"

using namespace belfry;

namespace {

void check_json(const Json& json, const std::string& about) {
    const auto text = to_text(json);
    const auto again = parse_json(text, {.bytes_max = 32 * kJsonBytesMax, .numbers = JsonNumbers::exact});
    fuzz::require(again.has_value(), "what is read is JSON, no deeper than JSON may be", about + " -> " + text);
    fuzz::require(same_json(*again, json), "the JSON comes back equal", about + " -> " + text);
}

bool can_finish(const model::Workflow& workflow) {
    std::set<std::string> done;
    for (bool is_moving = true; is_moving;) {
        is_moving = false;
        for (const auto& node : workflow.nodes) {
            const bool is_ready =
                std::ranges::all_of(node.depends_on, [&](const auto& each) { return done.contains(each); });
            if (is_ready && done.insert(node.id).second) is_moving = true;
        }
    }
    return done.size() == workflow.nodes.size();
}

void check_valid(const model::Workflow& workflow, const std::string& about) {
    fuzz::require(can_finish(workflow), "an accepted workflow can be walked to its end", about);
    const Json output("x");
    for (const auto& node : workflow.nodes) {
        const auto resolved = model::resolve(node.input, [&](const model::Reference& reference) {
            fuzz::require(
                reference.source != model::Reference::Source::node || workflow.find(reference.name) != nullptr,
                "references lead to nodes", about);
            return &output;
        });
        fuzz::require(resolved.has_value() || resolved.error().message.find("bytes") != std::string::npos,
                      "references can be put in", about);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    const auto json = parse_yaml(text, {.numbers = JsonNumbers::exact});
    if (!json) {
        fuzz::require(!json.error().message.empty(), "a refusal has a reason", text);
        return 0;
    }
    check_json(*json, text);
    const auto workflow = model::workflow_from_json(*json);
    if (!workflow) return 0;
    const auto written = to_text(model::to_json(*workflow));
    const auto again = model::workflow_from_json(parse_json(written, model::kStoredJsonLimits).value());
    fuzz::require(again.has_value() && *again == *workflow, "a workflow comes back equal", text + " -> " + written);
    if (model::check_workflow(*workflow).empty()) check_valid(*workflow, text);
    return 0;
}
