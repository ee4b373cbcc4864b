/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads the start of programs as the kernel does; see program.h. */
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "overlap.h"

enum {
	/* BINPRM_BUF_SIZE of the kernel: how much of a `#!` line it reads. */
	LINE_BYTES = 256,
	/* The headers of most programs lie in it. */
	START_BYTES = 1024,
	MOST_HEADERS = 128,
};

/* What a file begins with; @used bytes and zeros. */
struct start {
	size_t used;
	_Alignas(8) char bytes[START_BYTES + 1];
};

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#else
enum { MACHINE = EM_AARCH64 };
#endif

static int open_pinned(const struct stk_pin *pin)
{
	struct path_object object = pin->object;
	int fd = path_read(pin->path, &object);

	if (access(pin->path, X_OK) != 0)
		die_errno("the %s `%s` cannot be executed", pin->role,
			  pin->path);
	return fd;
}

static void read_exactly(int fd, void *ret_bytes, size_t size, uint64_t offset,
			 const struct stk_pin *pin)
{
	if (offset > INT32_MAX ||
	    pread(fd, ret_bytes, size, (off_t)offset) != (ssize_t)size)
		die("the ELF file `%s` is cut short", pin->path);
}

/* Pins a loader, unless an earlier file named the same. */
static void add_loader(struct stk_grants *grants, const char *path)
{
	static char loaders[LOADERS_MOST][PATH_BYTES];
	static unsigned count;

	for (unsigned i = 0; i < count; i++)
		if (strcmp(loaders[i], path) == 0)
			return;
	if (count == LOADERS_MOST)
		die("the programs name more than %d loaders", LOADERS_MOST);
	memcpy(loaders[count], path, strlen(path) + 1);
	const struct stk_pin *added =
		grants_add_program(grants, loaders[count++], "loader");
	(void)close(open_pinned(added));
}

/* Pins the loader that an ELF file names, if it names one. */
static void pin_loader(struct stk_grants *grants, const struct stk_pin *pin,
		       int fd, const struct start *start)
{
	static char loader[PATH_BYTES];
	static char room[MOST_HEADERS * sizeof(Elf64_Phdr)];
	const char *headers = room;
	Elf64_Ehdr elf;
	Elf64_Phdr header;

	memcpy(&elf, start->bytes, sizeof(elf));
	if (elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_ident[EI_DATA] != ELFDATA2LSB || elf.e_machine != MACHINE ||
	    (elf.e_type != ET_EXEC && elf.e_type != ET_DYN))
		die("`%s` is not an ELF program of this machine", pin->path);
	if (elf.e_phentsize != sizeof(header) || elf.e_phnum == 0 ||
	    elf.e_phnum > MOST_HEADERS)
		die("the ELF file `%s` has %u program headers; 1 to %d are "
		    "accepted",
		    pin->path, elf.e_phnum, MOST_HEADERS);
	const size_t needed = elf.e_phnum * sizeof(header);
	if (needed <= start->used && elf.e_phoff <= start->used - needed)
		headers = start->bytes + elf.e_phoff;
	else
		read_exactly(fd, room, needed, elf.e_phoff, pin);
	for (unsigned i = 0; i < elf.e_phnum; i++) {
		memcpy(&header, headers + i * sizeof(header), sizeof(header));
		uint64_t size = header.p_filesz;

		if (header.p_type != PT_INTERP)
			continue;
		if (size < 2 || size > sizeof(loader))
			die("the ELF file `%s` names no proper loader",
			    pin->path);
		read_exactly(fd, loader, (size_t)size, header.p_offset, pin);
		if (loader[size - 1] != '\0' || *loader != '/')
			die("the ELF file `%s` names no proper loader",
			    pin->path);
		add_loader(grants, loader);
		return;
	}
}

/* The path in a `#!` line, or NULL for a file without one. */
static const char *script_interpreter(char *start, const char *path)
{
	static char interpreter[LINE_BYTES];

	if (strncmp(start, "#!", 2) != 0)
		return NULL;
	start[LINE_BYTES] = '\0';
	char *name = start + 2 + strspn(start + 2, " \t");
	size_t length = strcspn(name, " \t\n");
	/* Without an end in sight the kernel would cut the path. */
	if (*name != '/' || name + length == start + LINE_BYTES)
		die("the `#!` line of `%s` does not name an absolute path",
		    path);
	memcpy(interpreter, name, length);
	interpreter[length] = '\0';
	return interpreter;
}

/* Pins what a held file needs and returns its interpreter; @script says whether
 * it may have one. */
static const char *pin_needs(struct stk_grants *grants,
			     const struct stk_pin *pin, bool script)
{
	static struct start start;
	int fd = open_pinned(pin);
	const char *interpreter;

	memset(&start, 0, sizeof(start));
	ssize_t used = pread(fd, start.bytes, START_BYTES, 0);
	if (used < 0)
		die_errno("the %s `%s` cannot be read", pin->role, pin->path);
	start.used = (size_t)used;
	if (!script && strncmp(start.bytes, "#!", 2) == 0)
		die("the interpreter `%s` is a script itself", pin->path);
	interpreter = script_interpreter(start.bytes, pin->path);
	if (!interpreter && memcmp(start.bytes, ELFMAG, SELFMAG) != 0)
		die("the %s `%s` is neither an ELF file nor a script",
		    pin->role, pin->path);
	if (!interpreter)
		pin_loader(grants, pin, fd, &start);
	(void)close(fd);
	return interpreter;
}

static const char *pin_file(struct stk_grants *grants, const char *path,
			    const char *role, bool script)
{
	return pin_needs(grants, grants_add_program(grants, path, role),
			 script);
}

/* Whether a file may be executed by a grant of its own. */
static bool is_command(const struct stk_grants *grants, const char *path)
{
	struct path_object object;
	int fd = path_open(path, overlap_visit, &object);

	if (fd < 0)
		die_errno("cannot open the interpreter `%s`", path);
	(void)close(fd);
	for (uint32_t i = 0; i < grants->count; i++)
		if ((grants->pins[i].class->flags & STK_CLASS_EXECUTE) &&
		    path_same(&grants->pins[i].object, &object))
			return true;
	return false;
}

void program_pin_commands(struct stk_grants *grants)
{
	const uint32_t listed = grants->count;

	for (uint32_t i = 0; i < listed; i++) {
		const struct stk_pin *pin = &grants->pins[i];
		const char *interpreter;

		if (!(pin->class->flags & STK_CLASS_COMMAND))
			continue;
		if (!S_ISREG(pin->object.mode))
			die("the %s `%s` is no file; list the files that may "
			    "be executed",
			    pin->role, pin->path);
		interpreter = pin_needs(grants, pin, true);
		if (interpreter && !is_command(grants, interpreter))
			die("the %s `%s` is a script, and its interpreter `%s` "
			    "is not listed; list it too",
			    pin->role, pin->path, interpreter);
	}
}

void program_pin(struct stk_grants *grants, const char *path)
{
	const char *interpreter = pin_file(grants, path, "program", true);

	if (interpreter)
		(void)pin_file(grants, interpreter, "interpreter", false);
}
