/* SPDX-License-Identifier: Apache-2.0 */
/*
 * git_keys.h - keys of a git config that run programs, or say where code comes from, as one table
 *
 * GIT_KEY(pattern, reason) - section.key or section.*.key in lower case, where * is any
 * subsection, or none.
 * Source: git-config(1) of git 2.39 to 2.50.
 */
/* clang-format off */
#define GIT_KEYS(GIT_KEY)                                                                         \
	GIT_KEY("core.fsmonitor",            "run by git status")                                 \
	GIT_KEY("core.sshcommand",           "run by fetch and push")                             \
	GIT_KEY("core.gitproxy",             "run by fetch and push")                             \
	GIT_KEY("core.askpass",              "run where a password is asked for")                 \
	GIT_KEY("core.editor",               "run by commit")                                     \
	GIT_KEY("core.pager",                "run by log, diff and others")                       \
	GIT_KEY("core.hookspath",            "where hooks are")                                   \
	GIT_KEY("core.attributesfile",       "names filters")                                     \
	GIT_KEY("core.worktree",             "where files are written to")                        \
	GIT_KEY("core.alternaterefscommand", "run by fetch")                                      \
	GIT_KEY("core.protecthfs",           "a protection of .git")                              \
	GIT_KEY("core.protectntfs",          "a protection of .git")                              \
	GIT_KEY("core.symlinks",             "how links are checked out")                         \
	GIT_KEY("sequence.editor",           "run by rebase")                                     \
	GIT_KEY("diff.external",             "run by diff")                                       \
	GIT_KEY("diff.*.command",            "run by diff")                                       \
	GIT_KEY("diff.*.textconv",           "run by diff and log")                               \
	GIT_KEY("filter.*.clean",            "run by add and status")                             \
	GIT_KEY("filter.*.smudge",           "run by checkout")                                   \
	GIT_KEY("filter.*.process",          "run by add and checkout")                           \
	GIT_KEY("merge.*.driver",            "run by merge")                                      \
	GIT_KEY("merge.tool",                "names a program")                                   \
	GIT_KEY("mergetool.*.cmd",           "run by mergetool")                                  \
	GIT_KEY("mergetool.*.path",          "run by mergetool")                                  \
	GIT_KEY("difftool.*.cmd",            "run by difftool")                                   \
	GIT_KEY("difftool.*.path",           "run by difftool")                                   \
	GIT_KEY("guitool.*.cmd",             "run by git gui")                                    \
	GIT_KEY("alias.*",                   "a command of git")                                  \
	GIT_KEY("pager.*",                   "run by the command it names")                       \
	GIT_KEY("hook.*",                    "run at commit, checkout, merge, push")              \
	GIT_KEY("interactive.difffilter",    "run by add -p")                                     \
	GIT_KEY("credential.*helper",        "run where a password is asked for")                 \
	GIT_KEY("include.path",              "another config counts, too")                        \
	GIT_KEY("includeif.*.path",          "another config counts, too")                        \
	GIT_KEY("url.*.insteadof",           "fetches from elsewhere")                            \
	GIT_KEY("url.*.pushinsteadof",       "pushes to elsewhere")                               \
	GIT_KEY("remote.*.url",              "where fetch gets from")                             \
	GIT_KEY("remote.*.pushurl",          "where push sends to")                               \
	GIT_KEY("remote.*.uploadpack",       "run by fetch")                                      \
	GIT_KEY("remote.*.receivepack",      "run by push")                                       \
	GIT_KEY("remote.*.vcs",              "names a helper that is run")                        \
	GIT_KEY("remote.*.proxy",            "fetches through it")                                \
	GIT_KEY("http.*proxy",               "fetches through it")                                \
	GIT_KEY("http.*sslverify",           "whether the far end is checked")                    \
	GIT_KEY("http.*sslcainfo",           "how the far end is checked")                        \
	GIT_KEY("http.*cookiefile",          "a file that is sent")                               \
	GIT_KEY("protocol.*allow",           "allows ext::, which runs programs")                 \
	GIT_KEY("submodule.*.update",        "run by submodule update")                           \
	GIT_KEY("submodule.*.url",           "where submodules come from")                        \
	GIT_KEY("gpg.program",               "run to sign and verify")                            \
	GIT_KEY("gpg.*.program",             "run to sign and verify")                            \
	GIT_KEY("gpg.*.defaultkeycommand",   "run to sign")                                       \
	GIT_KEY("ssh.variant",               "how ssh is run")                                    \
	GIT_KEY("man.*.cmd",                 "run by help")                                       \
	GIT_KEY("man.*.path",                "run by help")                                       \
	GIT_KEY("browser.*.cmd",             "run by help and instaweb")                          \
	GIT_KEY("browser.*.path",            "run by help and instaweb")                          \
	GIT_KEY("web.browser",               "run by help and instaweb")                          \
	GIT_KEY("instaweb.*",                "run by instaweb")                                   \
	GIT_KEY("imap.tunnel",               "run by imap-send")                                  \
	GIT_KEY("sendemail.*",               "run by send-email")                                 \
	GIT_KEY("trailer.*.command",         "run by commit")                                     \
	GIT_KEY("trailer.*.cmd",             "run by commit")                                     \
	GIT_KEY("tar.*.command",             "run by archive")                                    \
	GIT_KEY("uploadpack.packobjectshook", "run for a fetch from here")                        \
	GIT_KEY("receive.*",                 "counts for a push to here")                         \
	GIT_KEY("extensions.*",              "changes how the repository is read")                \
	GIT_KEY("lfs.*",                     "run by git lfs")                                    \
	GIT_KEY("filter-repo.*",             "run by filter-repo")                                \
	GIT_KEY("rebase.*exec",              "run by rebase")                                     \
	GIT_KEY("bisect.*",                  "run by bisect")                                     \
	GIT_KEY("safe.*",                    "a protection against repositories of others")       \
	GIT_KEY("init.templatedir",          "names hooks of new repositories")                   \
	GIT_KEY("maintenance.*",             "run in the background")                             \
	GIT_KEY("gui.*",                     "run by git gui")
/* clang-format on */
