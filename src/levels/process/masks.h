/* SPDX-License-Identifier: Apache-2.0 */
/*
 * masks.h - what of this machine's system folders the sandbox must not see
 *
 * MASK(path below /etc, why).  Each becomes a whiteout in the layer above the host's /etc, so the
 * name does not exist inside, whatever the file's mode, and whether or not the host has it.
 * Most are readable by root only, whom no id of the sandbox is; the list is the second wall, and
 * the first one for a rootless caller.
 */
#pragma once

/* clang-format off */
#define MASKS(MASK)                                                                               \
	MASK("shadow",            "password hashes")                                              \
	MASK("shadow-",           "password hashes")                                              \
	MASK("gshadow",           "password hashes")                                              \
	MASK("gshadow-",          "password hashes")                                              \
	MASK("security/opasswd",  "password hashes")                                              \
	MASK("passwd-",           "names of this machine's users")                                \
	MASK("group-",            "names of this machine's users")                                \
	MASK("subuid",            "names of this machine's users")                                \
	MASK("subuid-",           "names of this machine's users")                                \
	MASK("subgid",            "names of this machine's users")                                \
	MASK("subgid-",           "names of this machine's users")                                \
	MASK("sudoers",           "who may become root")                                          \
	MASK("sudoers.d",         "who may become root")                                          \
	MASK("ssh",               "host keys")                                                    \
	MASK("ssl/private",       "private keys")                                                 \
	MASK("pki/tls/private",   "private keys")                                                 \
	MASK("letsencrypt",       "private keys")                                                 \
	MASK("krb5.keytab",       "host keys")                                                    \
	MASK("ipsec.secrets",     "shared keys")                                                  \
	MASK("ipsec.d",           "shared keys")                                                  \
	MASK("wireguard",         "private keys")                                                 \
	MASK("openvpn",           "private keys")                                                 \
	MASK("ppp",               "passwords")                                                    \
	MASK("wpa_supplicant",    "passwords")                                                    \
	MASK("NetworkManager",    "passwords")                                                    \
	MASK("netplan",           "passwords")                                                    \
	MASK("apt/auth.conf",     "registry credentials")                                         \
	MASK("apt/auth.conf.d",   "registry credentials")                                         \
	MASK("docker",            "registry credentials, certificates")                           \
	MASK("containers",        "registry credentials")                                         \
	MASK("kubernetes",        "cluster credentials")                                          \
	MASK("rancher",           "cluster credentials")                                          \
	MASK("cni",               "cluster credentials")                                          \
	MASK("foso",              "foso's own keys")                                              \
	MASK("fstab",             "mount options can hold passwords")                             \
	MASK("crypttab",          "key files")                                                    \
	MASK("environment",       "can hold tokens")                                              \
	MASK("machine-id",        "identifies this machine")
/* clang-format on */
