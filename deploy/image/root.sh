#!/usr/bin/env bash
# Builds the image's root file system from the Debian it runs on and from the built program:
#   root.sh PROGRAM SBOM OUT
# OUT/root becomes the root. It contains the program, the libraries that it is linked to, CA certificates, fonts and two
# accounts, but no shell, and no part of Debian that could install one. OUT/data is the only folder that keeps data. The
# Dockerfile runs this in a separate stage, and k8s/test/image.test.mjs on the machine of the tests.
set -euo pipefail
[ $# -eq 3 ] || { printf 'usage: root.sh PROGRAM SBOM OUT\n' >&2; exit 2; }
program=$1 sbom=$2 out=$3
root=$out/root
umask 022

missing() {
  printf 'root.sh: %s is missing. Install it (Debian: apt-get install %s), then try again.\n' "$1" "$2" >&2
  exit 1
}

install -d "$root"/{etc,usr/bin,usr/local/bin,usr/share/doc/waybill}
install -d -m 1777 "$root/tmp"
install -d -m 700 "$out/data"
install -m 755 "$program" "$root/usr/local/bin/waybill"
install -m 644 "$sbom" "$root/usr/share/doc/waybill/sbom.cdx.json"

# ldd runs the program's own loader, which names every library with its path.
libraries=$(ldd "$program" | grep -o '/[^ ]*') || missing "the program's loader" libc-bin
for library in $libraries; do
  install -D -m 755 "$(realpath "$library")" "$root$library"
done

certificates=/etc/ssl/certs/ca-certificates.crt
[ -s "$certificates" ] || missing "$certificates" ca-certificates
install -D -m 644 "$certificates" "$root$certificates"

# Fonts for letters of delivery forms that Inter lacks: Arabic, Hebrew, Thai, Indic, Chinese, Japanese, Korean and others.
fonts=/usr/share/fonts
[ -s "$fonts/truetype/noto/NotoSansArabic-Regular.ttf" ] || missing "the font Noto Sans" fonts-noto-core
[ -s "$fonts/opentype/noto/NotoSansCJK-Regular.ttc" ] || missing "the font Noto Sans CJK" fonts-noto-cjk
install -d "$root$fonts/noto"
install -m 644 "$fonts"/truetype/noto/NotoSans*-{Regular,Bold}.ttf "$fonts"/opentype/noto/NotoSansCJK-{Regular,Bold}.ttc "$root$fonts/noto"

# Their licenses, and the files from which a scanner learns which Debian packages the image contains. Another system on
# which the tests run has neither.
if command -v dpkg-query >/dev/null; then
  for package in ca-certificates fonts-noto-core fonts-noto-cjk libc6 libgcc-s1; do
    install -d "$root/var/lib/dpkg/status.d"
    dpkg-query --status "$package" >"$root/var/lib/dpkg/status.d/$package"
    # The copyright file of libgcc-s1 is a link into the folder of the package that it is built with.
    install -D -m 644 "$(realpath "/usr/share/doc/$package/copyright")" "$root/usr/share/doc/$package/copyright"
  done
fi

printf 'root:x:0:0::/:/nonexistent\nwaybill:x:65532:65532::/data:/nonexistent\n' >"$root/etc/passwd"
printf 'root:x:0:\nwaybill:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
