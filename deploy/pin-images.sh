#!/bin/sh
# Names each image that hoga is built on, or runs beside, by its digest: run it for a release, where a registry of images is reached, and commit what it
# writes. Run again it asks anew. It takes docker with buildx, crane or skopeo, whichever there is.
set -eu
cd "$(dirname "$0")/.."

digest_of() {
  if command -v docker >/dev/null; then docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$1"
  elif command -v crane >/dev/null; then crane digest "$1"
  else skopeo inspect --format '{{.Digest}}' "docker://$1"; fi
}

for file in Dockerfile compose.yaml; do
  # Of others: what is built here has no digest yet.
  for image in $(sed -nE 's/^(FROM|    image:) +([^ @]+)(@sha256:[0-9a-f]+)?( .*)?$/\2/p' "$file" | grep -v '^hoga:' | sort -u); do
    digest=$(digest_of "$image")
    echo "$digest" | grep -Eqx 'sha256:[0-9a-f]{64}' || { echo "no digest of $image: $digest" >&2; exit 1; }
    sed -E "s#^(FROM|    image:) +$image(@sha256:[0-9a-f]+)?( |\$)#\\1 $image@$digest\\3#" "$file" >"$file.pinned"
    cat "$file.pinned" >"$file"
    rm "$file.pinned"
    echo "$file: $image@$digest"
  done
done
