#!/usr/bin/env bash
# Puts a built site into the folder of its version on the branch `gh-pages`, and pushes the branch. The top page of
# the branch redirects to the newest release, or to `main` before the first release.
#
#   scripts/publish-site.sh FOLDER VERSION
set -euo pipefail
site="$(cd "$1" && pwd)"
version="$2"
cd "$(dirname "$0")/.."

pages="$(mktemp -d)"
trap 'git worktree remove --force "$pages" 2> /dev/null || true' EXIT
if git fetch --quiet --depth 1 origin gh-pages 2> /dev/null; then
    git worktree add --quiet --detach "$pages" FETCH_HEAD
else
    git worktree add --quiet --detach "$pages"
    git -C "$pages" checkout --quiet --orphan gh-pages
    git -C "$pages" rm --quiet -r --force .
fi
rm -rf "${pages:?}/$version"
cp -r "$site" "$pages/$version"
# With this file, files whose names begin with an underscore are also published.
touch "$pages/.nojekyll"
newest="$(cd "$pages" && { ls -d v* 2> /dev/null || true; } | sort --version-sort | tail -n 1)"
newest="${newest:-main}"
printf '<!DOCTYPE html>\n<title>basrelief</title>\n<meta http-equiv="refresh" content="0; url=%s/index.html">\n' \
    "$newest" > "$pages/index.html"
git -C "$pages" add --all
git -C "$pages" -c user.name=site -c user.email=site@localhost commit --quiet --allow-empty -m "Site of $version"
git -C "$pages" push --quiet origin HEAD:gh-pages
