import * as core from '@actions/core';
import { Arguments } from '../command-line.js';
import { type CommandResult, EXIT, type FailedCommand } from '../command-result.js';
import type { Reason } from '../commands/check-gate.js';
import { gate } from '../commands/gate.js';
import { getError, runAction, textInput } from './run-action.js';

/** The runner shows no more errors of a step. */
const MAX_ERRORS = 10;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns a line as text of HTML. Markdown has no meaning within a block of HTML. */
const html = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const linked = ({ code, detail, url }: Reason): string =>
  url?.startsWith('https://') === true ? `<a href="${html(url)}">${html(detail ?? code)}</a>` : html(detail ?? code);

/** Writes the answer of the gate to the page of the run. */
async function summarize(result: CommandResult | FailedCommand, reasons: readonly Reason[]): Promise<void> {
  const [state = 'It is not known whether the gate is open'] = result.lines;
  core.summary.addHeading(html(state), 3);
  const last = getError(result) ?? result.lines.at(-1) ?? '';
  if (reasons.length > 0) {
    const header = ['Who can act', 'Reason'].map((data) => ({ data, header: true }));
    core.summary.addTable([header, ...reasons.map((reason) => [html(reason.actor), linked(reason)])]);
  }
  // A line break would end the block of HTML.
  await core.summary.addRaw(`<p>${html(last).replaceAll(/\s+/g, ' ')}</p>`, true).write();
}

const toOutcome = ({ exit }: CommandResult): string =>
  exit === EXIT.yes ? 'open' : exit === EXIT.no ? 'closed' : 'unknown';

void runAction({
  run: gate,
  readArguments: () =>
    new Arguments(
      { url: textInput('url'), release: textInput('release'), sha: textInput('sha'), wait: textInput('wait') },
      [],
    ),
  report: async (result, env) => {
    const {
      stage = null,
      candidate_sha: candidate = null,
      decision_id: decision = null,
      reasons = [],
    } = result.members as {
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
    for (const { actor, code, detail } of reasons.slice(0, MAX_ERRORS)) {
      core.error(detail ?? code, { title: `The gate is closed: ${actor}` });
    }
    if (env['GITHUB_STEP_SUMMARY']) await summarize(result, reasons);
  },
});
