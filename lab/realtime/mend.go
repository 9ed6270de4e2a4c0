package realtime

import (
	"fmt"
	"strings"
)

// atBoot is a command that gives parameters to Linux from the next start on. Debian's
// update-grub reads all files of /etc/default/grub.d; each condition has a file of its own.
func atBoot(file, parameters string) string {
	return fmt.Sprintf(
		`echo 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX %s"' > /etc/default/grub.d/rths-%s.cfg && update-grub `+
			`# then restart the machine`, parameters, file)
}

// inFiles is a command that writes a value into files of /sys, at once and at each start.
func inFiles(file, value string, paths ...string) string {
	return fmt.Sprintf(
		`printf 'w %%s - - - - %s\n' %s > /etc/tmpfiles.d/rths-%s.conf && systemd-tmpfiles --create rths-%s.conf`, value,
		strings.Join(paths, " "), file, file)
}

// bySysctl is a command that sets a parameter of the running kernel, at once and at each start.
func bySysctl(key string, value int) string {
	return fmt.Sprintf("echo %s=%d > /etc/sysctl.d/rths.conf && sysctl -p /etc/sysctl.d/rths.conf", key, value)
}
