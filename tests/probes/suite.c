/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turn a file of expectations into one line per route and a verdict, where
 * there is no Python: on kernels booted for it. Lines of the file
 * (tests/escape/routes.py writes it; `-` stands for nothing):
 *
 *   arena FOLDER
 *   launcher PROGRAM
 *   policy NAME ARTIFACT
 *   route NAME POLICY OUTSIDE INSIDE OUTSIDE-EFFECT INSIDE-EFFECT NATURAL
 * FEATURE
 *
 * OUTSIDE and INSIDE are answers, `none` where none can come. NATURAL is what
 * the kernel itself answers where it lacks FEATURE: the route is skipped then,
 * and never passes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outcome.h"
#include "route.h"
#include "scene.h"
#include "table.h"

enum {
	WORD_BYTES = 64,
	PATH_BYTES = 512,
	LINE_BYTES = 4096,
	OUTPUT_BYTES = 8192,
	MOST_POLICIES = 64,
};

/* The fields of a `route` line. */
enum {
	NAME,
	POLICY,
	OUTSIDE,
	INSIDE,
	OUTSIDE_EFFECT,
	INSIDE_EFFECT,
	NATURAL,
	FEATURE,
	FIELDS,
};

static struct {
	char arena[PATH_BYTES], launcher[PATH_BYTES], self[PATH_BYTES];
	char names[MOST_POLICIES][WORD_BYTES];
	char artifacts[MOST_POLICIES][PATH_BYTES];
	unsigned policies, passed, failed, skipped;
	/* Stands until a run has changed something in it. */
	struct scene scene;
	bool stands;
} place;

static struct outcome outcome;

static void take_effect(const char *name)
{
	outcome_effect(&outcome, name);
}

/* Read what is there of a run that has ended; what outlived it may keep the
 * other end open. */
static void take_output(int descriptor)
{
	static char text[OUTPUT_BYTES];
	size_t used = 0;
	ssize_t count;

	fcntl(descriptor, F_SETFL, O_NONBLOCK);
	while ((count = read(descriptor, text + used, sizeof text - 1 - used)) >
	       0)
		used += (size_t)count;
	text[used] = '\0';
	for (char *line = text, *end; *line != '\0'; line = end) {
		end = line + strcspn(line, "\n");
		if (*end != '\0')
			*end++ = '\0';
		outcome_line(&outcome, line);
	}
}

/* A terminal needs a session of its own, and so a process of its own. */
static void run_at_terminal(char *const command[], int output)
{
	pid_t child = fork();

	if (child < 0)
		give_up("fork");
	if (child == 0) {
		dup2(output, 1);
		dup2(output, 2);
		leave(arrange(place.arena, true, command));
	}
	waitpid(child, NULL, 0);
}

static void close_scene(void)
{
	if (place.stands)
		scene_close(&place.scene);
	place.stands = false;
}

/* Run a command in an arena that is as new, and take in what both have to say.
 */
static void run(bool terminal, char *const command[])
{
	int ends[2];

	outcome_clear(&outcome);
	fflush(stdout);
	if (pipe2(ends, O_CLOEXEC) != 0)
		give_up("pipe");
	if (terminal) {
		close_scene();
		run_at_terminal(command, ends[1]);
	} else {
		if (!place.stands)
			scene_open(&place.scene, place.arena, false);
		place.stands = true;
		scene_run(&place.scene, command, ends[1], take_effect);
		if (outcome.effects[0] != '\0' || !scene_is_fresh(&place.scene))
			close_scene();
	}
	close(ends[1]);
	take_output(ends[0]);
	close(ends[0]);
}

static void report(const char *verdict, char *const fields[], const char *side)
{
	printf("%s %s %s: %s %s %s effects=%s %s\n", verdict, fields[NAME],
	       fields[POLICY], side, outcome.answer, outcome.step,
	       outcome.effects, outcome.note);
}

static const char *artifact_of(const char *policy)
{
	for (unsigned i = 0; i < place.policies; i++)
		if (strcmp(place.names[i], policy) == 0)
			return place.artifacts[i];
	errno = ENOENT;
	give_up(policy);
}

/* Try it outside: true when it worked there, so that inside can prove
 * something. */
static bool works_outside(char *const fields[], bool terminal)
{
	char *command[] = {place.self, "try", fields[NAME], place.arena, NULL};

	run(terminal, command);
	if (outcome_answers(&outcome, fields[OUTSIDE]) &&
	    outcome_has_effect(&outcome, fields[OUTSIDE_EFFECT]))
		return true;
	if (outcome_answers(&outcome, fields[NATURAL])) {
		printf("skip %s %s: needs %s (%s %s)\n", fields[NAME],
		       fields[POLICY], fields[FEATURE], outcome.answer,
		       outcome.step);
		place.skipped++;
	} else {
		report("FAIL", fields, "outside");
		place.failed++;
	}
	return false;
}

static void judge(char *const fields[])
{
	bool terminal = (route_flags(fields[NAME]) & ROUTE_TERMINAL) != 0;
	char *command[] = {
		place.launcher, (char *)artifact_of(fields[POLICY]),
		"--",           place.self,
		"try",          fields[NAME],
		place.arena,    NULL,
	};

	if (!works_outside(fields, terminal))
		return;
	run(terminal, command);
	if (outcome_answers(&outcome, fields[INSIDE]) &&
	    outcome_is_only(&outcome, fields[INSIDE_EFFECT]) &&
	    outcome.note[0] == '\0') {
		report("pass", fields, "inside");
		place.passed++;
	} else {
		report("FAIL", fields, "inside");
		place.failed++;
	}
}

static void obey(char *line)
{
	char *fields[FIELDS + 1], *kind = strtok(line, " \n");
	unsigned count = 0;

	while (count < FIELDS && (fields[count] = strtok(NULL, " \n")) != NULL)
		count++;
	if (kind == NULL || kind[0] == '#')
		return;
	if (strcmp(kind, "arena") == 0 && count == 1)
		snprintf(place.arena, sizeof place.arena, "%s", fields[0]);
	else if (strcmp(kind, "launcher") == 0 && count == 1)
		snprintf(place.launcher, sizeof place.launcher, "%s",
			 fields[0]);
	else if (strcmp(kind, "policy") == 0 && count == 2 &&
		 place.policies < MOST_POLICIES) {
		unsigned i = place.policies++;
		snprintf(place.names[i], WORD_BYTES, "%s", fields[0]);
		snprintf(place.artifacts[i], PATH_BYTES, "%s", fields[1]);
	} else if (strcmp(kind, "route") == 0 && count == FIELDS)
		judge(fields);
	else {
		errno = EINVAL;
		give_up(kind);
	}
}

int suite(const char *path)
{
	char line[LINE_BYTES];
	FILE *file = fopen(path, "re");

	if (file == NULL ||
	    readlink("/proc/self/exe", place.self, sizeof place.self - 1) < 0)
		give_up(path);
	/* The victim and every command share a group that is nobody else's. */
	if (setpgid(0, 0) != 0 && getpgrp() != getpid())
		give_up("setpgid");
	while (fgets(line, sizeof line, file) != NULL)
		obey(line);
	fclose(file);
	close_scene();
	printf("suite: %u passed, %u failed, %u skipped\n", place.passed,
	       place.failed, place.skipped);
	return place.failed == 0 && place.passed > 0 ? 0 : 1;
}
