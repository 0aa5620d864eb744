# Installs missing Debian packages. The scripts in this folder source it.
# shellcheck shell=bash

build_packages=(g++ cmake ninja-build ccache libboost1.81-dev libboost-json1.81-dev libcctz-dev libssl-dev libcurl4-openssl-dev libcli11-dev libsqlite3-dev libpq-dev libspdlog-dev
                libtomlplusplus-dev libboost-url1.81-dev zlib1g-dev libical-dev libyaml-cpp-dev libhiredis-dev librabbitmq-dev libnats-dev tzdata)
# The web console needs Node and npm. A Node that is not from Debian stays as it is.
command -v node >/dev/null || build_packages+=(nodejs)
command -v npm >/dev/null || build_packages+=(npm)
test_packages=("${build_packages[@]}" libgtest-dev libbenchmark-dev librapidcheck-dev python3 python3-jsonschema clang-format
               postgresql-15 redis-server rabbitmq-server nats-server prometheus libfaketime fonts-liberation)
command -v chromium >/dev/null || test_packages+=(chromium)  # for the console and for clients in a browser
sdk_packages=("${test_packages[@]}" python3-httpx python3-pytest python3-pip python3-setuptools python3-wheel mypy)
clang_packages=("${test_packages[@]}" clang clang-tidy libclang-rt-14-dev)

# The version of the zone data with which the tables of expected fire times were computed; older data gives other
# results.
oldest_zone_data=2026f

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

zone_data_is_recent() {
    local version
    version=$(sed -n '1s/^# version //p' /usr/share/zoneinfo/tzdata.zi 2>/dev/null)
    [ -n "$version" ] && [ "$(printf '%s\n%s\n' "$oldest_zone_data" "$version" | sort -V | head -n 1)" = "$oldest_zone_data" ]
}

# The tests start their own servers. The system services of these packages stay off, now and after the next boot.
# Of prometheus they use the checker of metrics only.
tested_servers=(redis-server rabbitmq-server nats-server prometheus)

without_starting_services() (
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        trap 'as_root rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
    fi
    "$@"
)

keep_servers_off() {
    local server
    [ -d /run/systemd/system ] || return 0
    for server in "${tested_servers[@]}"; do
        [[ " $* " != *" $server "* ]] || as_root systemctl disable --quiet "$server"
    done
}

install_packages() {
    local package missing=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
    done
    zone_data_is_recent || missing+=(tzdata)
    [ ${#missing[@]} -eq 0 ] && return
    echo "Installing: ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    without_starting_services as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    keep_servers_off "${missing[@]}"
}
