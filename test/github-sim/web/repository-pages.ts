import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { compress } from 'snappyjs';
import { ApiRejection } from '../state/api-rejection.js';
import type { Pull } from '../state/pull.js';
import { hasRole } from '../state/role.js';
import type { SimulatedGitHubState } from '../state/simulated-github-state.js';
import type { User } from '../state/user.js';
import { type Choice, choices, links, page } from './web-markup.js';

const ACTIONS: Readonly<Record<string, (pull: Pull, by: User) => unknown>> = {
  approve: (pull, by) => pull.repository.pulls.reviews.submit(pull, { by, state: 'APPROVED' }),
  merge: (pull, by) => pull.repository.pulls.merge(pull, { by }),
};

const SIMULATED = 'The simulated GitHub has pages for signing in, installing the app and pull requests only.';
const TO_START = links([{ href: '/', text: 'Open pull requests' }]);

/**
 * The start page, which lists the open pull requests, and the pages of a repository that other sites link to: a pull request, which
 * users approve and merge. All others show a note.
 */
export function registerRepositoryPages(server: FastifyInstance, state: SimulatedGitHubState): void {
  server.get('/', (_, reply) => reply.type('text/html').send(startPage(state)));
  server.get('/attestations/:repository/:file', (request, reply) => sendBundle(state, request, reply));
  server.get('/:owner/:repo/pull/:number', (request, reply) => showPull(state, request, reply));
  server.get('/:owner/:repo/*', (request, reply) => {
    const { owner, repo } = request.params as { readonly owner: string; readonly repo: string };
    if (!state.repositories.findByName(owner, repo)) return reply.callNotFound();
    return reply
      .code(404)
      .type('text/html')
      .send(page('Not simulated', SIMULATED, TO_START));
  });
}

/** Sends the compressed bundle of an attestation, as GitHub's storage does: it knows no caller, and refuses a credential. */
function sendBundle(state: SimulatedGitHubState, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.authorization !== undefined) return reply.code(400).send();
  const { repository, file } = request.params as Readonly<Record<'repository' | 'file', string>>;
  const attestations = state.repositories.find(Number(repository))?.attestations;
  if (attestations?.isStorageDown) return reply.code(503).send();
  const attestation = attestations?.find(Number.parseInt(file, 10));
  if (!attestation) return reply.code(404).send();
  const bytes = Buffer.from(JSON.stringify(attestation.bundle, null, 2));
  return reply.type('application/x-snappy').send(Buffer.from(compress(new Uint8Array(bytes))));
}

function startPage(state: SimulatedGitHubState): string {
  const open = state.accounts
    .organizations()
    .flatMap((owner) => state.repositories.ownedBy(owner))
    .flatMap(({ fullName, pulls }) => pulls.list().map((pull) => ({ fullName, pull })))
    .filter(({ pull }) => pull.issue.state === 'open')
    .map(({ fullName, pull: { issue, number } }) => ({
      href: `/${fullName}/pull/${number}`,
      text: `${fullName} #${number}: ${issue.title}`,
    }));
  const text = open.length === 0 ? 'None is open.' : 'Choose one to approve or merge it as one of the users.';
  return page('Open pull requests', `${text} ${SIMULATED}`, links(open));
}

/**
 * `?approve=` or `?merge=` performs the action as that user at once. Without them the page offers a choice of users.
 */
function showPull(state: SimulatedGitHubState, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { owner, repo, number } = request.params as Readonly<Record<'owner' | 'repo' | 'number', string>>;
  const pull = state.repositories
    .findByName(owner, repo)
    ?.pulls.list()
    .find((one) => String(one.number) === number);
  if (!pull) {
    reply.callNotFound();
    return reply;
  }
  const { pathname, searchParams } = new URL(request.url, state.url);
  for (const [name, act] of Object.entries(ACTIONS)) {
    const by = state.accounts.findUser(searchParams.get(name) ?? '');
    if (!by) continue;
    try {
      act(pull, by);
    } catch (error) {
      if (!(error instanceof ApiRejection)) throw error;
      return reply.code(422).type('text/html').send(page('Not possible', error.message));
    }
    return reply.redirect(pathname);
  }
  const { issue, reviews, mergedAt } = pull;
  const given = reviews.map(({ author, state: verdict }) => `${author.login}: ${verdict.toLowerCase()}`);
  const text = [mergedAt === null ? issue.state : 'merged', ...given].join(', ');
  const forms =
    issue.state === 'open'
      ? choices(new URLSearchParams(), 'approve', writersOf(state, pull, 'approves it')) +
        choices(new URLSearchParams(), 'merge', writersOf(state, pull, 'merges it'))
      : '';
  return reply.type('text/html').send(page(`${issue.title} #${pull.number}`, text, forms));
}

/** The users who may change the repository. */
const writersOf = (state: SimulatedGitHubState, { repository }: Pull, about: string): readonly Choice[] =>
  state.accounts
    .users()
    .filter((user) => user.type === 'User' && hasRole(repository.roleOf(user), 'write'))
    .map((account) => ({ account, about }));
