import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { World } from '../state/world.js';
import type { AppManifest, AppManifests } from './app-manifests.js';
import type { OAuth } from './oauth.js';

/** The few pages of GitHub that a browser passes through: consent, and making or installing an app. */
export function registerWebPages(server: FastifyInstance, world: World, oauth: OAuth, manifests: AppManifests): void {
  server.get('/login/oauth/authorize', (request, reply) => authorize(world, oauth, request, reply));
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
      const query = queryOf(world, request);
      const owner = world.accounts.find(org ?? query.get('login') ?? '');
      if (!owner) return reply.code(404).type('text/html').send('Not found');
      return reply.redirect(manifests.submit(manifest, owner, query.get('state')));
    });
  }
  server.get('/apps/:slug/installations/new', (request, reply) => install(world, request, reply));
}

/** With `?login=` that person consents at once; without it the page lets one choose a person. */
function authorize(world: World, oauth: OAuth, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const query = queryOf(world, request);
  const checked = oauth.check(query);
  if (typeof checked === 'string') return reply.code(400).type('text/html').send(page('Not possible', checked));
  const user = world.accounts.findUser(query.get('login') ?? '');
  if (user) return reply.redirect(oauth.approve(query, checked, user));
  const people = world.accounts.users().filter((one) => one.type === 'User' && one !== world.webFlow);
  return reply.type('text/html').send(page(`Authorize ${checked.app.name}`, choices(query, 'login', people)));
}

/** With `?org=` the app is installed there in all repositories; without it the page lets one choose an organization. */
function install(world: World, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const query = queryOf(world, request);
  const app = world.apps.findBySlug((request.params as { slug: string }).slug);
  if (!app) return reply.code(404).type('text/html').send(page('Not found', ''));
  const organization = world.accounts.findOrganization(query.get('org') ?? '');
  if (!organization) {
    const free = world.accounts.organizations().filter((one) => !world.installations.find(app, one));
    return reply.type('text/html').send(page(`Install ${app.name}`, choices(query, 'org', free)));
  }
  const installation =
    world.installations.find(app, organization) ??
    world.installations.install(app, organization, { repositories: 'all' });
  const target = new URL(app.setupUrl ?? `${organization.htmlUrl}/settings/installations/${installation.id}`);
  target.searchParams.set('installation_id', String(installation.id));
  target.searchParams.set('setup_action', 'install');
  const state = query.get('state');
  if (state !== null) target.searchParams.set('state', state);
  return reply.redirect(target.href);
}

function queryOf(world: World, request: FastifyRequest): URLSearchParams {
  return new URL(request.url, world.url).searchParams;
}

/** The fields of a form, or of a JSON body, which the token endpoint takes as well. */
function formOf(body: unknown): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  const form = new URLSearchParams();
  if (typeof body !== 'object' || body === null) return form;
  for (const [name, value] of Object.entries(body)) form.set(name, String(value));
  return form;
}

function choices(query: URLSearchParams, name: string, accounts: readonly { readonly login: string }[]): string {
  const inputs = [...query].map(
    ([key, value]) => `<input type="hidden" name="${escape(key)}" value="${escape(value)}">`,
  );
  const buttons = accounts.map(
    ({ login }) => `<button name="${name}" value="${escape(login)}">${escape(login)}</button>`,
  );
  return `<form>${inputs.join('')}${buttons.join(' ')}</form>`;
}

function page(title: string, body: string): string {
  return `<!doctype html><meta charset="utf-8"><title>${escape(title)}</title><h1>${escape(title)}</h1>${body}`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
