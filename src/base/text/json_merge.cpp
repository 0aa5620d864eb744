#include "base/text/json_merge.hpp"

#include <boost/json/object.hpp>

namespace belfry {

void merge_patch(Json& target, const Json& patch) {
    // Checks kind_of, because an exact number is stored as an object.
    if (kind_of(patch) != JsonKind::object) {
        target = patch;
        return;
    }
    if (kind_of(target) != JsonKind::object) target = boost::json::object();
    auto& members = target.get_object();
    for (const auto& member : patch.get_object()) {
        if (member.value().is_null()) {
            members.erase(member.key());
        } else {
            merge_patch(members[member.key()], member.value());
        }
    }
}

}  // namespace belfry
