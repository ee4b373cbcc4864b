# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the places that other programs of the user trust, which no grant may write."""

from __future__ import annotations

# What other programs of the user read as configuration or run later: a file left
# there would run outside the sandbox. Paths below the home folder; "" is the
# folder itself.
TRUSTED_IN_HOME = (
    "",
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cargo/config",
    ".cargo/config.toml",
    ".config/autostart",
    ".config/autostart-scripts",
    ".config/environment.d",
    ".config/fish",
    ".config/git",
    ".config/plasma-workspace",
    ".config/systemd",
    ".gitconfig",
    ".gnupg",
    ".kshrc",
    ".local/share/systemd",
    ".pam_environment",
    ".profile",
    ".ssh",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
)
# launchd.plist(5): what launchd starts when the user logs in.
TRUSTED_IN_MACOS_HOME = ("Library/LaunchAgents",)
# Variables that move such configuration; the second kind may begin with `~/`.
TRUSTED_VARIABLES = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
TRUSTED_HOME_VARIABLES = ("GNUPGHOME",)

# The same on Windows, below the profile's folder. What is installed with a shell or
# a tool of Unix reads the same files there.
TRUSTED_IN_WINDOWS_PROFILE = (
    "",
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cargo\\config",
    ".cargo\\config.toml",
    ".config\\fish",
    ".config\\git",
    ".gitconfig",
    ".gnupg",
    ".profile",
    ".ssh",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    # Programs that the user starts by name, and this product's own state.
    "AppData\\Local\\Microsoft\\WindowsApps",
    "AppData\\Local\\stockade",
    "AppData\\Roaming\\Microsoft\\Windows\\Start Menu\\Programs\\Startup",
    "AppData\\Roaming\\gnupg",
    "Documents\\PowerShell",
    "Documents\\WindowsPowerShell",
)
TRUSTED_ON_WINDOWS = (
    "C:\\ProgramData\\Microsoft\\Windows\\Start Menu\\Programs\\StartUp",
)
