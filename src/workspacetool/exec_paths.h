/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_paths.h - what executes on the host, as one table
 *
 * EXEC_PATH(pattern, reason) - a pattern of glob.h in lower case, looked for in every folder.  With
 * a slash at its end: all that is in such a folder, and a link or file in the place of it; else
 * the file alone.
 *
 * These run, or name what runs, when somebody works in the folder as he does every day: changes
 * a branch, opens an editor, enters the folder, builds, tests, pushes.  They are compared as a
 * file system without case would, and as those would that ignore characters without a width
 * (exec.c).  Help and man page are printed from here.
 */
/* clang-format off */
#define EXEC_PATHS(EXEC_PATH)                                                                     \
	EXEC_PATH(".git/hooks/",                "git runs hooks at commit, checkout, merge, push") \
	EXEC_PATH(".git/modules/**/hooks/",     "git runs hooks of a submodule") \
	EXEC_PATH(".git/worktrees/",            "names the repository whose hooks count") \
	EXEC_PATH(".git/info/attributes",       "git runs the filters that attributes name") \
	EXEC_PATH(".git/commondir",             "names the repository whose hooks count") \
	EXEC_PATH(".git/objects/info/alternates","git reads objects of the folder it names") \
	EXEC_PATH(".git/objects/info/http-*", "git fetches objects from where it says") \
	EXEC_PATH(".git/remotes/",             "names where git fetches from") \
	EXEC_PATH(".git/branches/",            "names where git fetches from") \
	EXEC_PATH(".git/rebase-merge/",        "git runs lines of it when a rebase goes on") \
	EXEC_PATH(".gitattributes",             "git runs the filters and drivers it names") \
	EXEC_PATH(".gitmodules",                "git fetches and updates what it names") \
	EXEC_PATH(".gitconfig",                 "git runs programs that a config names") \
	EXEC_PATH(".hg/",                       "Mercurial runs hooks of its hgrc") \
	EXEC_PATH(".svn/",                      "Subversion trusts what is in it") \
	EXEC_PATH(".jj/",                       "Jujutsu runs programs that its config names") \
	EXEC_PATH(".husky/",                    "husky runs it as a git hook") \
	EXEC_PATH(".githooks/",                 "usual folder for core.hooksPath") \
	EXEC_PATH(".lefthook*/",                "lefthook runs it as a git hook") \
	EXEC_PATH("lefthook*.y*ml",             "lefthook runs what it names as a git hook") \
	EXEC_PATH(".pre-commit-*.yaml",         "pre-commit runs what it names as a git hook") \
	EXEC_PATH(".lintstagedrc*",             "lint-staged runs what it names at a commit") \
	EXEC_PATH(".envrc",                     "direnv runs it when the folder is entered") \
	EXEC_PATH(".direnv/",                   "direnv loads it when the folder is entered") \
	EXEC_PATH(".tool-versions",             "asdf runs the versions it names") \
	EXEC_PATH(".mise*.toml",                "mise runs hooks and tasks of it") \
	EXEC_PATH("mise*.toml",                 "mise runs hooks and tasks of it") \
	EXEC_PATH(".mise/",                     "mise runs hooks and tasks of it") \
	EXEC_PATH(".bashrc",                    "a shell runs it") \
	EXEC_PATH(".bash_*",                    "a shell runs it") \
	EXEC_PATH(".profile",                   "a shell runs it") \
	EXEC_PATH(".zsh*",                      "a shell runs it") \
	EXEC_PATH(".zprofile",                  "a shell runs it") \
	EXEC_PATH(".zlog*",                     "a shell runs it") \
	EXEC_PATH(".kshrc",                     "a shell runs it") \
	EXEC_PATH(".inputrc",                   "a shell takes key bindings from it") \
	EXEC_PATH(".cshrc",                    "a shell runs it") \
	EXEC_PATH(".tcshrc",                   "a shell runs it") \
	EXEC_PATH(".login",                    "a shell runs it") \
	EXEC_PATH(".x*rc",                     "an X session runs it") \
	EXEC_PATH(".xprofile",                 "an X session runs it") \
	EXEC_PATH(".tmux.conf",                "tmux runs commands of it") \
	EXEC_PATH(".screenrc",                 "screen runs commands of it") \
	EXEC_PATH(".config/",                   "programs, fish among them, run what it names") \
	EXEC_PATH(".ssh/",                      "ssh runs commands of its config") \
	EXEC_PATH(".gnupg/",                    "GnuPG runs programs that its config names") \
	EXEC_PATH(".vimrc",                     "an editor runs it") \
	EXEC_PATH(".exrc",                      "an editor runs it in its folder") \
	EXEC_PATH(".nvimrc",                    "an editor runs it in its folder") \
	EXEC_PATH(".nvim.lua",                  "an editor runs it in its folder") \
	EXEC_PATH(".vim/",                     "an editor runs it") \
	EXEC_PATH(".nvim/",                    "an editor runs it") \
	EXEC_PATH(".emacs*",                   "Emacs evaluates it") \
	EXEC_PATH(".emacs.d/",                 "Emacs evaluates it") \
	EXEC_PATH(".dir-locals*.el",            "Emacs evaluates it") \
	EXEC_PATH(".vscode/",                   "VS Code runs tasks, launches and settings of it") \
	EXEC_PATH("*.code-workspace",           "VS Code runs tasks and settings of it") \
	EXEC_PATH(".theia/",                   "Theia runs tasks and settings of it") \
	EXEC_PATH("*.sublime-project",         "Sublime Text runs builds of it") \
	EXEC_PATH(".vs/",                      "Visual Studio runs tasks of it") \
	EXEC_PATH(".settings/",                "Eclipse runs builders that it names") \
	EXEC_PATH(".project",                  "Eclipse runs builders that it names") \
	EXEC_PATH("nbproject/",                "NetBeans runs builds of it") \
	EXEC_PATH("*.xcodeproj/",              "Xcode runs build scripts of it") \
	EXEC_PATH(".idea/",                     "JetBrains programs run configurations of it") \
	EXEC_PATH(".fleet/",                    "JetBrains Fleet runs configurations of it") \
	EXEC_PATH(".zed/",                      "Zed runs tasks and settings of it") \
	EXEC_PATH(".devcontainer/",             "an editor builds it and runs its commands") \
	EXEC_PATH(".devcontainer.json",         "an editor builds it and runs its commands") \
	EXEC_PATH(".gitpod.yml",                "Gitpod runs its tasks") \
	EXEC_PATH(".gdbinit",                   "gdb runs it") \
	EXEC_PATH(".lldbinit",                  "lldb runs it") \
	EXEC_PATH(".claude/",                   "an agent runs its hooks, and obeys it") \
	EXEC_PATH("claude*.md",                 "an agent obeys it") \
	EXEC_PATH("agents*.md",                 "an agent obeys it") \
	EXEC_PATH("gemini.md",                  "an agent obeys it") \
	EXEC_PATH(".gemini/",                   "an agent runs servers that it names") \
	EXEC_PATH(".codex/",                    "an agent runs servers that it names") \
	EXEC_PATH(".cursor/",                   "an agent runs its hooks and servers, and obeys it") \
	EXEC_PATH(".cursorrules",               "an agent obeys it") \
	EXEC_PATH(".windsurf*",                 "an agent obeys it") \
	EXEC_PATH(".aider*",                    "an agent runs commands that it names") \
	EXEC_PATH(".clinerules",               "an agent obeys it") \
	EXEC_PATH(".clinerules/",              "an agent obeys it") \
	EXEC_PATH(".kilocode/",                "an agent obeys it, and runs servers that it names") \
	EXEC_PATH(".kiro/",                    "an agent runs its hooks and servers, and obeys it") \
	EXEC_PATH(".junie/",                   "an agent obeys it") \
	EXEC_PATH(".amazonq/",                 "an agent runs servers that it names") \
	EXEC_PATH(".augment/",                 "an agent obeys it") \
	EXEC_PATH(".trae/",                    "an agent obeys it") \
	EXEC_PATH(".qodo/",                    "an agent obeys it") \
	EXEC_PATH(".opencode/",                "an agent runs its plugins and servers") \
	EXEC_PATH("opencode.json*",            "an agent runs servers that it names") \
	EXEC_PATH(".goosehints",               "an agent obeys it") \
	EXEC_PATH("warp.md",                   "an agent obeys it") \
	EXEC_PATH(".rules",                    "an agent obeys it") \
	EXEC_PATH(".continue/",                 "an agent runs servers that it names") \
	EXEC_PATH(".roo*",                      "an agent runs servers that it names, and obeys it") \
	EXEC_PATH(".mcp.json",                  "an agent starts the servers it names") \
	EXEC_PATH("mcp.json",                   "an agent starts the servers it names") \
	EXEC_PATH(".github/",                   "a CI service, and an agent, run it after a push") \
	EXEC_PATH(".gitlab-ci*.yml",            "a CI service runs it after a push") \
	EXEC_PATH(".gitlab/",                   "a CI service runs it after a push") \
	EXEC_PATH(".gitea/",                    "a CI service runs it after a push") \
	EXEC_PATH(".forgejo/",                  "a CI service runs it after a push") \
	EXEC_PATH(".circleci/",                 "a CI service runs it after a push") \
	EXEC_PATH(".buildkite/",                "a CI service runs it after a push") \
	EXEC_PATH(".drone.*",                   "a CI service runs it after a push") \
	EXEC_PATH(".woodpecker*",               "a CI service runs it after a push") \
	EXEC_PATH(".travis.yml",                "a CI service runs it after a push") \
	EXEC_PATH(".cirrus.*",                  "a CI service runs it after a push") \
	EXEC_PATH(".appveyor.yml",              "a CI service runs it after a push") \
	EXEC_PATH("appveyor.yml",               "a CI service runs it after a push") \
	EXEC_PATH("azure-pipelines*.yml",       "a CI service runs it after a push") \
	EXEC_PATH("bitbucket-pipelines.yml",    "a CI service runs it after a push") \
	EXEC_PATH("jenkinsfile*",               "a CI service runs it after a push") \
	EXEC_PATH(".ci/",                       "a CI service runs it after a push") \
	EXEC_PATH("makefile",                   "make runs its recipes") \
	EXEC_PATH("gnumakefile",                "make runs its recipes") \
	EXEC_PATH("makefile.*",                 "make or automake takes recipes from it") \
	EXEC_PATH("*.mk",                       "make takes recipes from it") \
	EXEC_PATH("justfile",                   "just runs its recipes") \
	EXEC_PATH(".justfile",                  "just runs its recipes") \
	EXEC_PATH("taskfile.y*ml",              "task runs its recipes") \
	EXEC_PATH("cmakelists.txt",             "cmake runs it") \
	EXEC_PATH("*.cmake",                    "cmake runs it") \
	EXEC_PATH("cmake*presets.json",         "cmake takes programs from it") \
	EXEC_PATH("meson.build",                "meson runs it") \
	EXEC_PATH("meson_options.txt",          "meson runs it") \
	EXEC_PATH("*.am",                      "automake takes recipes from it") \
	EXEC_PATH("*.m4",                      "autoconf makes a program of it") \
	EXEC_PATH("kbuild",                    "make takes recipes from it") \
	EXEC_PATH("*.pro",                     "qmake runs it") \
	EXEC_PATH("conanfile.py",              "conan runs it") \
	EXEC_PATH("premake5.lua",              "premake runs it") \
	EXEC_PATH("xmake.lua",                 "xmake runs it") \
	EXEC_PATH("configure",                  "a build runs it") \
	EXEC_PATH("configure.ac",               "autoconf makes a program of it") \
	EXEC_PATH("sconstruct",                 "scons runs it") \
	EXEC_PATH("sconscript",                 "scons runs it") \
	EXEC_PATH("wscript",                    "waf runs it") \
	EXEC_PATH("build",                      "bazel or a person runs it") \
	EXEC_PATH("workspace",                 "bazel runs it") \
	EXEC_PATH("buck",                      "buck runs it") \
	EXEC_PATH(".buckconfig",               "buck takes programs from it") \
	EXEC_PATH("pants.toml",                "pants loads plugins it names") \
	EXEC_PATH("*.bazel",                    "bazel runs it") \
	EXEC_PATH("*.bzl",                      "bazel runs it") \
	EXEC_PATH(".bazelrc",                   "bazel takes options from it") \
	EXEC_PATH("package.json",               "npm runs its scripts, and those of what it installs") \
	EXEC_PATH(".npmrc",                     "npm takes the registry and a shell from it") \
	EXEC_PATH(".yarnrc*",                   "yarn runs the program it names") \
	EXEC_PATH(".yarn/",                     "yarn runs the releases and plugins in it") \
	EXEC_PATH(".pnpmfile.*",                "pnpm runs it") \
	EXEC_PATH(".pnp.*",                     "node loads it") \
	EXEC_PATH("binding.gyp",                "npm builds it") \
	EXEC_PATH("*.config.?s",                "a bundler, linter or test runner runs it") \
	EXEC_PATH("*.config.?js",               "a bundler, linter or test runner runs it") \
	EXEC_PATH("*.config.?ts",               "a bundler, linter or test runner runs it") \
	EXEC_PATH("*.config.json",             "a bundler, linter or test runner loads what it names") \
	EXEC_PATH(".stylelintrc*",             "stylelint loads plugins it names") \
	EXEC_PATH(".postcssrc*",               "postcss loads plugins it names") \
	EXEC_PATH(".swcrc",                    "swc loads plugins it names") \
	EXEC_PATH(".commitlintrc*",            "commitlint loads what it names") \
	EXEC_PATH(".releaserc*",               "semantic-release loads plugins it names") \
	EXEC_PATH(".nycrc*",                   "nyc loads what it names") \
	EXEC_PATH("nodemon.json",              "nodemon runs what it names") \
	EXEC_PATH("nx.json",                   "nx runs its tasks") \
	EXEC_PATH("turbo.json",                "turbo runs its tasks") \
	EXEC_PATH("lerna.json",                "lerna runs commands it names") \
	EXEC_PATH(".eslintrc*",                 "eslint loads plugins it names") \
	EXEC_PATH(".prettierrc*",               "prettier loads plugins it names") \
	EXEC_PATH(".babelrc*",                  "babel loads plugins it names") \
	EXEC_PATH(".mocharc*",                  "mocha loads what it names") \
	EXEC_PATH("gruntfile.*",                "grunt runs it") \
	EXEC_PATH("gulpfile.*",                 "gulp runs it") \
	EXEC_PATH("deno.json*",                 "deno runs its tasks") \
	EXEC_PATH("bunfig.toml",                "bun loads what it names") \
	EXEC_PATH("setup.py",                   "pip runs it") \
	EXEC_PATH("setup.cfg",                  "pip and test runners take programs from it") \
	EXEC_PATH("pyproject.toml",             "pip runs the build back end it names") \
	EXEC_PATH("conftest.py",                "pytest loads it") \
	EXEC_PATH(".pylintrc",                 "pylint runs its init hook") \
	EXEC_PATH("pylintrc",                  "pylint runs its init hook") \
	EXEC_PATH(".coveragerc",               "coverage loads plugins it names") \
	EXEC_PATH(".mypy.ini",                 "mypy loads plugins it names") \
	EXEC_PATH("mypy.ini",                  "mypy loads plugins it names") \
	EXEC_PATH(".flake8",                   "flake8 loads plugins it names") \
	EXEC_PATH("pipfile",                   "pipenv runs its scripts") \
	EXEC_PATH("poetry.toml",               "poetry takes sources from it") \
	EXEC_PATH("tasks.py",                  "invoke runs it") \
	EXEC_PATH("fabfile.py",                "fabric runs it") \
	EXEC_PATH("dodo.py",                   "doit runs it") \
	EXEC_PATH("bin/activate*",             "a shell runs it") \
	EXEC_PATH("ansible.cfg",               "ansible loads plugins it names") \
	EXEC_PATH("pytest.ini",                 "pytest loads plugins it names") \
	EXEC_PATH("tox.ini",                    "tox runs its commands") \
	EXEC_PATH("noxfile.py",                 "nox runs it") \
	EXEC_PATH("sitecustomize.py",           "python loads it at each start") \
	EXEC_PATH("usercustomize.py",           "python loads it at each start") \
	EXEC_PATH("*.pth",                      "python runs its lines at each start") \
	EXEC_PATH("pyvenv.cfg",                 "python takes its home from it") \
	EXEC_PATH(".ipython/",                  "IPython runs its startup files") \
	EXEC_PATH("__pycache__/",               "python runs it in the place of the source") \
	EXEC_PATH("build.rs",                   "cargo runs it") \
	EXEC_PATH("cargo.toml",                 "cargo runs the build script it names") \
	EXEC_PATH(".cargo/",                    "cargo runs wrappers and runners it names") \
	EXEC_PATH("rust-toolchain*",            "rustup runs the toolchain it names") \
	EXEC_PATH("build.gradle*",              "gradle runs it") \
	EXEC_PATH("settings.gradle*",           "gradle runs it") \
	EXEC_PATH("init.gradle*",               "gradle runs it") \
	EXEC_PATH("gradle*.properties",         "gradle takes JVM options from it") \
	EXEC_PATH("gradle/",                    "gradle runs the wrapper in it") \
	EXEC_PATH("buildsrc/",                  "gradle builds and runs it") \
	EXEC_PATH("*.gradle",                  "gradle runs it") \
	EXEC_PATH("*.gradle.kts",              "gradle runs it") \
	EXEC_PATH("pom.xml",                    "maven runs plugins it names") \
	EXEC_PATH(".mvn/",                      "maven loads extensions and JVM options of it") \
	EXEC_PATH("build.xml",                  "ant runs it") \
	EXEC_PATH("build.sbt",                  "sbt runs it") \
	EXEC_PATH("directory.build.*",          "msbuild runs it") \
	EXEC_PATH("*.??proj",                  "msbuild runs it") \
	EXEC_PATH("*.vcxproj",                 "msbuild runs it") \
	EXEC_PATH("*.props",                   "msbuild runs it") \
	EXEC_PATH("*.targets",                 "msbuild runs it") \
	EXEC_PATH("nuget.config",               "nuget takes its sources from it") \
	EXEC_PATH("rakefile*",                  "rake runs it") \
	EXEC_PATH("gemfile",                    "bundler runs it") \
	EXEC_PATH("*.gemspec",                  "bundler runs it") \
	EXEC_PATH(".bundle/",                   "bundler takes programs from it") \
	EXEC_PATH(".rspec",                     "rspec loads what it names") \
	EXEC_PATH("guardfile",                 "guard runs it") \
	EXEC_PATH("capfile",                   "capistrano runs it") \
	EXEC_PATH(".irbrc",                    "irb runs it") \
	EXEC_PATH(".pryrc",                    "pry runs it") \
	EXEC_PATH(".rubocop.yml",              "rubocop loads what it names") \
	EXEC_PATH("composer.json",              "composer runs its scripts") \
	EXEC_PATH("phpunit.xml*",              "phpunit loads what it names") \
	EXEC_PATH(".php-cs-fixer*",            "php-cs-fixer runs it") \
	EXEC_PATH(".htaccess",                 "a web server obeys it") \
	EXEC_PATH(".user.ini",                 "PHP loads what it names") \
	EXEC_PATH("mix.exs",                    "mix runs it") \
	EXEC_PATH("package.swift",              "swift runs it") \
	EXEC_PATH("podfile",                    "CocoaPods runs it") \
	EXEC_PATH("fastlane/",                  "fastlane runs it") \
	EXEC_PATH("build.zig*",                 "zig runs it") \
	EXEC_PATH("build.pl",                  "perl runs it to build") \
	EXEC_PATH("setup.hs",                  "cabal runs it") \
	EXEC_PATH("*.cabal",                   "cabal builds it") \
	EXEC_PATH("project.clj",               "leiningen runs it") \
	EXEC_PATH("rebar.config*",             "rebar runs it") \
	EXEC_PATH("dune",                      "dune runs its rules") \
	EXEC_PATH(".luacheckrc",               "luacheck runs it") \
	EXEC_PATH("makefile.pl",                "perl runs it to build") \
	EXEC_PATH("dockerfile*",                "docker build runs it") \
	EXEC_PATH("containerfile*",             "podman build runs it") \
	EXEC_PATH("docker-compose*.y*ml",       "docker compose starts it") \
	EXEC_PATH("compose*.y*ml",              "docker compose starts it") \
	EXEC_PATH("earthfile",                 "earthly runs it") \
	EXEC_PATH("tiltfile",                  "tilt runs it") \
	EXEC_PATH("skaffold.y*ml",             "skaffold runs its hooks") \
	EXEC_PATH("vagrantfile",                "vagrant runs it") \
	EXEC_PATH("flake.nix",                  "nix builds it") \
	EXEC_PATH("*.nix",                      "nix builds it") \
	EXEC_PATH("procfile",                   "a process manager starts what it names") \
	EXEC_PATH("*.service",                  "systemd starts it where it is installed") \
	EXEC_PATH("*.desktop",                  "a desktop starts it") \
	EXEC_PATH("autorun.inf",                "a desktop starts what it names")
/* clang-format on */
