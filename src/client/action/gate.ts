import * as core from '@actions/core';
import { Arguments } from '../command-line.js';
import { type CommandResult, EXIT, type FailedCommand } from '../command-result.js';
import { describeReason, type Reason } from '../commands/check-gate.js';
import { gate } from '../commands/gate.js';
import { getError, releaseInput, runAction, textInput, escapeHtml, linkedHtml } from './run-action.js';

/** The runner shows no more errors of a step. */
const MAX_ERRORS = 10;

const linked = (reason: Reason): string => linkedHtml(describeReason(reason), reason.url);

/** Writes the answer of the gate to the page of the run. */
async function summarize(
  result: CommandResult | FailedCommand,
  reasons: readonly Reason[],
  url: string | null,
): Promise<void> {
  const [state = 'It is not known whether the gate is open'] = result.lines;
  core.summary.addHeading(linkedHtml(state, url), 3);
  const last = getError(result) ?? result.lines.at(-1) ?? '';
  if (reasons.length > 0) {
    const header = ['Who can act', 'Reason'].map((data) => ({ data, header: true }));
    core.summary.addTable([header, ...reasons.map((reason) => [escapeHtml(reason.actor), linked(reason)])]);
  }
  // A line break would end the block of HTML.
  await core.summary.addRaw(`<p>${escapeHtml(last).replaceAll(/\s+/g, ' ')}</p>`, true).write();
}

const toOutcome = ({ exit }: CommandResult): string =>
  exit === EXIT.yes ? 'open' : exit === EXIT.no ? 'closed' : 'unknown';

void runAction({
  run: gate,
  readArguments: () =>
    new Arguments(
      { url: textInput('url'), release: releaseInput(), sha: textInput('sha'), wait: textInput('wait') },
      [],
    ),
  report: async (result, env) => {
    const {
      release_url: url = null,
      stage = null,
      candidate_sha: candidate = null,
      decision_id: decision = null,
      reasons = [],
    } = result.members as {
      readonly release_url?: string | null;
      readonly stage?: string | null;
      readonly candidate_sha?: string | null;
      readonly decision_id?: string | null;
      readonly reasons?: readonly Reason[];
    };
    core.setOutput('outcome', toOutcome(result));
    core.setOutput('stage', stage);
    core.setOutput('candidate-sha', candidate);
    core.setOutput('decision-id', decision);
    core.setOutput('reasons', reasons);
    core.setOutput('release-url', url);
    for (const reason of reasons.slice(0, MAX_ERRORS)) {
      core.error(describeReason(reason), { title: `The gate is closed: ${reason.actor}` });
    }
    if (env['GITHUB_STEP_SUMMARY']) await summarize(result, reasons, url);
  },
});
