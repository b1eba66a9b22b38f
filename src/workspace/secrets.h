/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets.h - files of a workspace that a sandbox must not see, unless the policy says otherwise
 *
 * SECRET(glob, what it holds)   SHOWN(glob, why it is no secret)
 * GIT_CONFIG(glob)              credentials in it are taken out, the rest is shown
 *
 * A glob without a slash is compared with the last part of a path, in any folder; one that begins
 * with two stars and a slash with the end of a path.  A slash at its end means a folder only; a
 * SECRET without one means anything but a folder (a Python environment can be called .env).
 * Upper and lower case are the same.  The last row that fits decides; the policy's own globs come
 * after all of these.
 */
#pragma once

/* clang-format off */
#define SECRETS(SECRET, SHOWN, GIT_CONFIG)                                                        \
	SECRET("id_rsa*",                    "private keys")                                      \
	SECRET("id_dsa*",                    "private keys")                                      \
	SECRET("id_ecdsa*",                  "private keys")                                      \
	SECRET("id_ed25519*",                "private keys")                                      \
	SECRET("*_rsa",                      "private keys")                                      \
	SECRET("*_ed25519",                  "private keys")                                      \
	SHOWN("*.pub",                       "public keys")                                       \
	SECRET("*.key",                      "private keys")                                      \
	SECRET("*key.pem",                   "private keys")                                      \
	SECRET("privkey*.pem",               "private keys")                                      \
	SECRET("*.ppk",                      "private keys")                                      \
	SECRET("*.p8",                       "private keys")                                      \
	SECRET("*.p12",                      "private keys")                                      \
	SECRET("*.pfx",                      "private keys")                                      \
	SECRET("*.jks",                      "private keys")                                      \
	SECRET("*.keystore",                 "private keys")                                      \
	SECRET("*.kdbx",                     "passwords")                                         \
	SECRET(".ssh/",                      "private keys")                                      \
	SECRET(".gnupg/",                    "private keys")                                      \
	SECRET(".password-store/",           "passwords")                                         \
	SECRET("**/.local/share/keyrings/",  "passwords")                                         \
	SECRET(".env*",                      "environment with credentials")                      \
	SECRET("*.env",                      "environment with credentials")                      \
	SHOWN(".env*.example",               "a template")                                        \
	SHOWN(".env*.sample",                "a template")                                        \
	SHOWN(".env*.template",              "a template")                                        \
	SHOWN(".env*.dist",                  "a template")                                        \
	SECRET(".aws/",                      "cloud credentials")                                 \
	SECRET(".azure/",                    "cloud credentials")                                 \
	SECRET(".oci/",                      "cloud credentials")                                 \
	SECRET("**/.config/gcloud/",         "cloud credentials")                                 \
	SECRET("**/.config/doctl/",          "cloud credentials")                                 \
	SECRET("application_default_credentials.json", "cloud credentials")                       \
	SECRET("service*account*key*.json",  "cloud credentials")                                 \
	SECRET("service-account*.json",      "cloud credentials")                                 \
	SECRET(".boto",                      "cloud credentials")                                 \
	SECRET(".s3cfg",                     "cloud credentials")                                 \
	SECRET(".databrickscfg",             "cloud credentials")                                 \
	SECRET("terraform.tfvars",           "cloud credentials")                                 \
	SECRET("*.auto.tfvars",              "cloud credentials")                                 \
	SECRET("*.tfstate",                  "cloud credentials")                                 \
	SECRET("*.tfstate.*backup",          "cloud credentials")                                 \
	SECRET("credentials.tfrc.json",      "cloud credentials")                                 \
	SECRET(".terraformrc",               "cloud credentials")                                 \
	SECRET(".vault-token",               "credentials")                                       \
	SECRET(".vault_pass*",               "passwords")                                         \
	SECRET(".npmrc",                     "package registry credentials")                      \
	SECRET(".pypirc",                    "package registry credentials")                      \
	SECRET(".netrc",                     "credentials")                                       \
	SECRET("_netrc",                     "credentials")                                       \
	SECRET("**/.docker/config.json",     "package registry credentials")                      \
	SECRET(".dockercfg",                 "package registry credentials")                      \
	SECRET("**/containers/auth.json",    "package registry credentials")                      \
	SECRET("**/.cargo/credentials",      "package registry credentials")                      \
	SECRET("**/.cargo/credentials.toml", "package registry credentials")                      \
	SECRET("**/.gem/credentials",        "package registry credentials")                      \
	SECRET("**/.bundle/config",          "package registry credentials")                      \
	SECRET("auth.json",                  "package registry credentials")                      \
	SECRET("**/.m2/settings.xml",        "package registry credentials")                      \
	SECRET("**/.m2/settings-security.xml", "package registry credentials")                    \
	SECRET("**/.gradle/gradle.properties", "package registry credentials")                    \
	SECRET("**/.config/pip/pip.conf",    "package registry credentials")                      \
	SECRET("**/.pip/pip.conf",           "package registry credentials")                      \
	SECRET("**/.kaggle/kaggle.json",     "credentials")                                       \
	SECRET("**/.config/gh/hosts.yml",    "credentials")                                       \
	SECRET("**/.config/hub",             "credentials")                                       \
	SECRET("**/.claude/.credentials.json", "credentials")                                     \
	SECRET(".git-credentials",           "credentials")                                       \
	SECRET("**/git/credentials",         "credentials")                                       \
	SECRET(".pgpass",                    "passwords")                                         \
	SECRET(".my.cnf",                    "passwords")                                         \
	SECRET(".mylogin.cnf",               "passwords")                                         \
	SECRET(".htpasswd",                  "passwords")                                         \
	SECRET(".kube/",                     "cluster credentials")                               \
	SECRET("kubeconfig*",                "cluster credentials")                               \
	SECRET("*.kubeconfig",               "cluster credentials")                               \
	SECRET(".mozilla/",                  "browser profile")                                   \
	SECRET("**/.config/google-chrome*/", "browser profile")                                   \
	SECRET("**/.config/chromium/",       "browser profile")                                   \
	SECRET("**/.config/BraveSoftware/",  "browser profile")                                   \
	SECRET("**/.config/microsoft-edge*/", "browser profile")                                  \
	SECRET("**/Application Support/Google/Chrome/", "browser profile")                        \
	SECRET("**/Application Support/Firefox/", "browser profile")                              \
	SECRET("Login Data",                 "browser profile")                                   \
	SECRET("key4.db",                    "browser profile")                                   \
	SECRET("logins.json",                "browser profile")                                   \
	SECRET("cookies.sqlite",             "browser profile")                                   \
	SECRET(".*_history",                 "what was typed, credentials among it")              \
	GIT_CONFIG("**/.git/config")                                                              \
	GIT_CONFIG("**/.git/config.worktree")                                                     \
	GIT_CONFIG("**/.git/modules/**/config")                                                   \
	GIT_CONFIG("**/.git/worktrees/*/config.worktree")
/* clang-format on */
