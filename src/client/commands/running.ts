import { type CommandResult, EXIT, usageError } from '../command-result.js';
import { plainText } from '../plain-text.js';
import { answerError, jsonBody, ServiceClient } from '../service/service-client.js';
import { type CommandContext, getRepository, parseArtifact } from './command-context.js';
import { getEnvironment } from './deployment-report.js';

const ANSWER_MS = 15_000;
const BUDGET_MS = 120_000;
const MAX_ARTIFACTS = 500;

/** States which artifacts run in an environment now. It replaces what was stated before. */
export async function running(context: CommandContext): Promise<CommandResult> {
  const { args, env, note, maskToken } = context;
  const artifacts = args.operands.map(parseArtifact);
  if (artifacts.length === 0 && !args.flag('nothing')) {
    throw usageError('No artifact is named. Use NAME@sha256:…, or --nothing if nothing runs there.');
  }
  if (artifacts.length > 0 && args.flag('nothing')) throw usageError('Name artifacts or use --nothing, not both.');
  if (artifacts.length > MAX_ARTIFACTS) throw usageError(`At most ${MAX_ARTIFACTS} artifacts can be stated.`);
  const [environment, repo] = [getEnvironment(context), getRepository(context)];
  const client = new ServiceClient(args.text('url'), env, note, { maskToken });
  try {
    const answer = await client.send({
      method: 'PUT',
      path: `/api/environments/${encodeURIComponent(environment)}/running`,
      ...jsonBody({ repo, artifacts }),
      answerMs: ANSWER_MS,
      budgetMs: BUDGET_MS,
    });
    if (answer.status < 200 || answer.status > 299) throw answerError('change', answer);
    const count = artifacts.length === 1 ? '1 artifact runs' : `${artifacts.length} artifacts run`;
    return {
      exit: EXIT.yes,
      outcome: 'stated',
      members: { repo, environment, artifacts, request_id: answer.requestId },
      lines: [`Stored: ${count} in ${plainText(environment)}.`],
    };
  } finally {
    await client.close();
  }
}
