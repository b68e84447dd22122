import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../state/account.js';
import type { User } from '../state/user.js';
import type { SimulatedGitHubState } from '../state/simulated-github-state.js';
import type { AppManifest, AppManifests } from './app-manifests.js';
import type { OAuth } from './oauth.js';
import { type Choice, choices, page, picture } from './web-markup.js';

/** The pages of GitHub that a browser visits: consent, and creating or installing an app. */
export function registerWebPages(
  server: FastifyInstance,
  state: SimulatedGitHubState,
  oauth: OAuth,
  manifests: AppManifests,
): void {
  server.get('/login/oauth/authorize', (request, reply) => authorize(state, oauth, request, reply));
  server.post('/login/oauth/access_token', (request, reply) => {
    const result = oauth.exchange(formOf(request.body));
    if ((request.headers.accept ?? '').includes('json')) return reply.send(result);
    const fields = formOf(result);
    return reply.type('application/x-www-form-urlencoded').send(fields.toString());
  });
  for (const path of ['/settings/apps/new', '/organizations/:org/settings/apps/new']) {
    server.post(path, (request, reply) => {
      const manifest = JSON.parse(formOf(request.body).get('manifest') ?? '{}') as AppManifest;
      const { org } = request.params as { org?: string };
      const query = queryOf(state, request);
      const owner = state.accounts.find(org ?? query.get('login') ?? '');
      if (!owner) return reply.code(404).type('text/html').send('Not found');
      return reply.redirect(manifests.submit(manifest, owner, query.get('state')));
    });
  }
  server.get('/apps/:slug/installations/new', (request, reply) => install(state, request, reply));
  server.get('/avatars/:id', (request, reply) => {
    const account = findAccount(state, Number((request.params as { id: string }).id));
    if (!account) return reply.code(404).send();
    return reply.type('image/svg+xml').send(picture(account));
  });
}

/** `?login=` consents as that user at once. Without it the page offers a choice of users. */
function authorize(
  state: SimulatedGitHubState,
  oauth: OAuth,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const query = queryOf(state, request);
  const checked = oauth.check(query);
  if (typeof checked === 'string') return reply.code(400).type('text/html').send(page('Not possible', checked));
  const user = state.accounts.findUser(query.get('login') ?? '');
  if (user) return reply.redirect(oauth.approve(query, checked, user));
  const users = state.accounts.users().filter((one) => one.type === 'User' && one !== state.webFlow);
  const form = choices(
    query,
    'login',
    users.map((user) => placed(state, user)),
  );
  const text = 'It wants to know who you are, and which repositories you may read. As whom do you sign in?';
  return reply.type('text/html').send(page(`Authorize ${checked.app.name}`, text, form));
}

/** `?org=` installs the app there in all repositories. Without it the page offers a choice of organizations. */
function install(github: SimulatedGitHubState, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const query = queryOf(github, request);
  const app = github.apps.findBySlug((request.params as { slug: string }).slug);
  if (!app) return reply.code(404).type('text/html').send(page('Not found', 'There is no such app.'));
  const organization = github.accounts.findOrganization(query.get('org') ?? '');
  if (!organization) {
    const free = github.accounts.organizations().filter((one) => !github.installations.find(app, one));
    const form = choices(
      query,
      'org',
      free.map((account) => ({ account, about: `${account.members.size} people` })),
    );
    return reply.type('text/html').send(page(`Install ${app.name}`, 'Where, in all repositories?', form));
  }
  const installation =
    github.installations.find(app, organization) ??
    github.installations.install(app, organization, { repositories: 'all' });
  const target = new URL(app.setupUrl ?? `${organization.htmlUrl}/settings/installations/${installation.id}`);
  target.searchParams.set('installation_id', String(installation.id));
  target.searchParams.set('setup_action', 'install');
  const state = query.get('state');
  if (state !== null) target.searchParams.set('state', state);
  return reply.redirect(target.href);
}

const findAccount = ({ accounts }: SimulatedGitHubState, id: number): Account | undefined =>
  [...accounts.users(), ...accounts.organizations()].find((account) => account.id === id);

/** A user with the organizations of the user. */
function placed(state: SimulatedGitHubState, account: User): Choice {
  const places = state.accounts.organizations().flatMap(({ login, members }) => {
    const membership = members.get(account.id);
    return membership ? [`${membership.role === 'admin' ? 'owner' : 'member'} of ${login}`] : [];
  });
  return { account, about: places.length === 0 ? 'in no organization' : places.join(', ') };
}

function queryOf(state: SimulatedGitHubState, request: FastifyRequest): URLSearchParams {
  return new URL(request.url, state.url).searchParams;
}

/** The fields of a form or of a JSON body. The token endpoint accepts both. */
function formOf(body: unknown): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  const form = new URLSearchParams();
  if (typeof body !== 'object' || body === null) return form;
  for (const [name, value] of Object.entries(body)) form.set(name, String(value));
  return form;
}
