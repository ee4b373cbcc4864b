/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Read the lines of one run and compare them with what is wanted; outcome.h. */
#include "outcome.h"

#include <stdio.h>
#include <string.h>

void outcome_clear(struct outcome *outcome)
{
	memset(outcome, 0, sizeof *outcome);
	strcpy(outcome->answer, "none");
}

void outcome_effect(struct outcome *outcome, const char *name)
{
	size_t used = strlen(outcome->effects);

	snprintf(outcome->effects + used, sizeof outcome->effects - used,
		 "%s%s", used == 0 ? "" : ",", name);
}

void outcome_line(struct outcome *outcome, char *line)
{
	char *word = strtok(line, " \n"), *rest;

	if (word == NULL)
		return;
	if (strcmp(word, "answer") == 0 && strtok(NULL, " \n") != NULL) {
		if ((word = strtok(NULL, " \n")) != NULL)
			snprintf(outcome->answer, sizeof outcome->answer, "%s",
				 word);
		if ((rest = strtok(NULL, "\n")) != NULL)
			snprintf(outcome->step, sizeof outcome->step, "%s",
				 rest);
	} else if (strcmp(word, "effect") == 0) {
		if ((word = strtok(NULL, " \n")) != NULL)
			outcome_effect(outcome, word);
	} else if (strcmp(word, "status") != 0 && outcome->note[0] == '\0') {
		rest = strtok(NULL, "\n");
		snprintf(outcome->note, sizeof outcome->note, "%s %s", word,
			 rest == NULL ? "" : rest);
	}
}

static bool is_among(const char *word, const char *words, char between)
{
	size_t length = strlen(word);

	for (const char *found = strstr(words, word); found != NULL;
	     found = strstr(found + 1, word))
		if ((found == words || found[-1] == between) &&
		    (found[length] == between || found[length] == '\0'))
			return true;
	return false;
}

bool outcome_has_effect(const struct outcome *outcome, const char *wanted)
{
	return strcmp(wanted, "-") == 0 ||
	       is_among(wanted, outcome->effects, ',');
}

bool outcome_is_only(const struct outcome *outcome, const char *wanted)
{
	return strcmp(outcome->effects,
		      strcmp(wanted, "-") == 0 ? "" : wanted) == 0;
}

bool outcome_answers(const struct outcome *outcome, const char *answers)
{
	return is_among(outcome->answer, answers, '|');
}
