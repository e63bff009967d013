#!/bin/sh
# Lays the data directory out from what the container was given, and becomes hoga. Settings and secrets are files: nothing of them is in the image.
set -eu
umask 077
mkdir -p "$HOGA_HOME"

# What has to be nobody else's is copied, each in one step, as replicas of one machine share the directory.
for name in config.toml http-token; do
  if [ -e "/etc/hoga/$name" ]; then
    cp "/etc/hoga/$name" "$HOGA_HOME/.$name.$$.$(hostname)"
    mv "$HOGA_HOME/.$name.$$.$(hostname)" "$HOGA_HOME/$name"
  fi
done
# It is read again before every order, so a change counts without a new start.
if [ -e /etc/hoga/policy.toml ]; then ln -sfn /etc/hoga/policy.toml "$HOGA_HOME/policy.toml"; fi

if [ -e /run/secrets/postgres_password ]; then
  PGPASSWORD=$(cat /run/secrets/postgres_password)
  export PGPASSWORD
fi

exec hoga "$@"
