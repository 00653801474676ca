#!/usr/bin/env bash
# Runs the tests of the kernels and of the command line (`levels`) with AVX-512: on this machine if it
# has AVX-512, otherwise under a small Linux in Bochs, an emulator that supports it. The necessary
# Debian packages are unpacked below target/; nothing is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'avx512: %s\n' "$*"; }
skip() {
    say "SKIPPED: $*"
    exit 0
}

[[ "$(uname -sm)" == "Linux x86_64" ]] || skip "this takes Linux on x86-64"

say "building the tests"
# Builds most tests with the complete workspace, as `make test` does, so that nothing is built twice.
build() { cargo test --quiet --locked --no-run --message-format=json-render-diagnostics "$@"; }
built="$(build --workspace --features parquet,figures,ndarray --test agreement --test cli && build -p basrelief-kernels --lib)"
# Prints the path of the program that was built for a target with this kind and name.
program() {
    sed -n "s/.*\"kind\":\[\"$1\"\].*\"name\":\"$2\".*\"executable\":\"\([^\"]*\)\".*/\1/p" \
        <<< "$built" | tail -n 1
}
units="$(program lib basrelief_kernels)"
agreement="$(program test agreement)"
cli="$(program test cli)"
basrelief="${agreement%/deps/*}/basrelief"

export BASRELIEF_SIMD=avx512
if "$agreement" --quiet --exact no_rows_are_no_work &> /dev/null; then
    say "this machine has AVX-512"
    "$units" --quiet
    "$agreement" --quiet
    "$cli" --quiet levels
    exit 0
fi

folder="$PWD/${CARGO_TARGET_DIR:-target}/avx512"
if [[ "${CARGO_TARGET_DIR:-}" == /* ]]; then
    folder="$CARGO_TARGET_DIR/avx512"
fi
root="$folder/root"
emulator=(bochs bochs-term bochsbios vgabios)
disk=(isolinux syslinux-common xorriso)

# Downloads and unpacks the packages, including the emulator's libraries that this machine lacks.
fetch() {
    local apt=(apt-get --quiet -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/packages"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
    local kernel
    mkdir -p "$folder/packages/partial"
    kernel="$(apt-cache depends linux-image-cloud-amd64 |
        sed -n 's/.*Depends: \(linux-image-.*\)/\1/p')"
    "${apt[@]}" --yes --download-only --no-install-recommends --reinstall install \
        "${emulator[@]}" "${disk[@]}" || return
    (cd "$folder/packages" && "${apt[@]}" download busybox-static "$kernel") || return
    for package in "$folder"/packages/*.deb; do
        dpkg-deb --extract "$package" "$root.part" || return
    done
    mv "$root.part" "$root"
}

if [[ ! -d "$root" ]]; then
    for command in apt-get apt-cache dpkg-deb; do
        command -v "$command" > /dev/null || skip "no AVX-512 here, and no $command"
    done
    say "no AVX-512 here: downloading an emulator"
    rm -rf "$folder"
    mkdir -p "$folder"
    fetch &> "$folder/fetch.log" ||
        skip "no AVX-512 here, and the emulator cannot be had, see $folder/fetch.log" \
            "(apt-get update may help)"
fi

say "making a disk"
guest="$folder/guest"
rm -rf "$guest" "$folder/disk"
mkdir -p "$guest"/{bin,dev,proc,tmp} "$folder/disk"
cp "$root/bin/busybox" "$guest/bin/"
for file in "$units" "$agreement" "$cli" "$basrelief"; do
    # The path is the same, because the tests of the command line contain it. Debug symbols are
    # removed, because they would fill the memory.
    mkdir -p "$guest$(dirname "$file")"
    strip -o "$guest$file" "$file"
    while read -r library; do
        cp --dereference --parents "$library" "$guest/"
    done < <(ldd "$file" | grep -o '/[^ ]*')
done
cat > "$guest/init" << END
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
export BASRELIEF_SIMD=avx512 PROPTEST_CASES=6 RUST_BACKTRACE=0
$units --test-threads=1 &&
    $agreement --test-threads=1 &&
    $cli --test-threads=1 levels &&
    echo "all passed"
# Wait until the last output has passed through the serial port.
/bin/busybox sleep 1
/bin/busybox poweroff -f
END
chmod +x "$guest/init"
(cd "$guest" && find . | ./bin/busybox cpio -o -H newc 2> /dev/null) > "$folder/disk/initrd"
cp "$root"/boot/vmlinuz-* "$folder/disk/vmlinuz"
cp "$root/usr/lib/ISOLINUX/isolinux.bin" "$root/usr/lib/syslinux/modules/bios/ldlinux.c32" \
    "$folder/disk/"
# With PKU, XSAVES or XSAVEC, Bochs 2.7 reports wrong sizes of the processor's state, and Linux then
# disables AVX. Linux copies incorrectly if FSRM is present but string instructions are flagged as slow.
cat > "$folder/disk/isolinux.cfg" << END
DEFAULT linux
LABEL linux
  KERNEL vmlinuz
  INITRD initrd
  APPEND console=ttyS0 quiet nokaslr mitigations=off panic=-1 clearcpuid=pku,xsaves,xsavec,fsrm
END

export LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu"
export LTDL_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu/bochs/plugins"
export BXSHARE="$root/usr/share/bochs"
"$root/usr/bin/xorrisofs" -quiet -o "$folder/disk.iso" -b isolinux.bin -c boot.cat \
    -no-emul-boot -boot-load-size 4 -boot-info-table "$folder/disk" 2> /dev/null
# Ice Lake has all features that the level requires.
cat > "$folder/bochsrc" << END
config_interface: textconfig
display_library: term
cpu: model=corei7_icelake_u, ips=50000000, reset_on_triple_fault=0
memory: guest=1024, host=1024
romimage: file=$root/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=$root/usr/share/vgabios/vgabios.bin
ata0-master: type=cdrom, path=$folder/disk.iso, status=inserted
boot: cdrom
clock: sync=none
speaker: enabled=0
com1: enabled=1, mode=file, dev=$folder/console.log
log: $folder/bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
END
# Debian's Bochs has a debugger, which waits for commands.
echo continue > "$folder/commands"

say "running the tests in the emulator, five minutes or more: $folder/console.log"
rm -f "$folder/console.log" "$folder/screen.log"
# The emulator draws its screen on a separate terminal, and blocks if nothing reads from it.
drain() {
    local terminal
    until terminal="$(grep --text --only-matching '/dev/pts/[0-9]*' "$folder/screen.log")"; do
        sleep 1
    done
    cat "$terminal"
}
drain &> /dev/null &
drainer=$!
trap 'kill "$drainer" 2> /dev/null || true' EXIT
TERM=linux timeout --signal=KILL 2h "$root/usr/bin/bochs-bin" -q -f "$folder/bochsrc" \
    -rc "$folder/commands" < /dev/null &> "$folder/screen.log" || true
grep '^test ' "$folder/console.log" || true
if ! grep -q '^all passed' "$folder/console.log"; then
    say "FAILED, see $folder/console.log" >&2
    exit 1
fi
