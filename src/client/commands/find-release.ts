import { CommandError, usageError } from '../command-result.js';
import { plainText } from '../plain-text.js';
import { answerError, type ServiceAnswer, type ServiceClient } from '../service/service-client.js';
import { AUTO, type CommandContext, NAME_IT, parseCommit } from './command-context.js';

const ANSWER_MS = 15_000;
const BUDGET_MS = 120_000;

const FORBIDDEN = 403;

/** The release of a call; a version of null with the reason if the branch or tag belongs to no release. */
export type FoundRelease = { readonly version: string } | { readonly version: null; readonly because: string };

/** Returns the version, and requests it from Shipgate if it is `auto`. Throws a usage error if several releases match. */
export async function findRelease(
  { ci, note }: CommandContext,
  client: ServiceClient,
  version: string,
  { repo, commit }: { readonly repo: string; readonly commit: string | undefined },
): Promise<FoundRelease> {
  if (version !== AUTO) return { version };
  if (ci.ref === undefined) throw usageError(`CI names no branch and no tag that would tell the release. ${NAME_IT}`);
  const query = new URLSearchParams({
    repo,
    ref: ci.ref,
    ...(commit !== undefined && { sha: parseCommit(commit, '--commit') }),
  });
  const answer = await client.send({
    method: 'GET',
    path: `/api/milestones/resolve?${query.toString()}`,
    answerMs: ANSWER_MS,
    budgetMs: BUDGET_MS,
  });
  if (answer.status !== 200) throw notResolved(answer);
  const { version: found, because, candidates } = (answer.json ?? {}) as Readonly<Record<string, unknown>>;
  if (found !== null && (typeof found !== 'string' || found === '')) throw notResolved(answer);
  const reason = typeof because === 'string' ? plainText(because) : 'Shipgate gave no reason.';
  if (found !== null) {
    note(`Release ${plainText(found)}: ${reason}`);
    return { version: found };
  }
  if (!Array.isArray(candidates) || candidates.length === 0) return { version: null, because: `${reason} ${NAME_IT}` };
  const named = candidates.filter((one) => typeof one === 'string').map(plainText);
  throw usageError(`${reason} It may be ${named.join(' or ')}. ${NAME_IT}`);
}

/** The answer is no release, so it is not known which one is meant. */
function notResolved(answer: ServiceAnswer): CommandError {
  const { exit, outcome, message, members } = answerError('question', answer);
  const hint =
    answer.status === FORBIDDEN ? ' The release of this branch or tag is found with the scope gate:read.' : '';
  return new CommandError(exit, outcome, `${message}${hint} ${NAME_IT}`, members);
}
