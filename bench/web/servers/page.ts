/**
 * A bare page with the rows of the list of releases: one document with an inline script and no style, and the first page of the list from
 * memory. The arguments are the address of the service and the cookie with which the list is read once.
 */
import { fastify } from 'fastify';
import { reportListening } from '../../measuring/served.js';

const [url, cookie] = process.argv.slice(2);
if (url === undefined || cookie === undefined) throw new TypeError('A URL and a cookie are required.');
const response = await fetch(`${url}/api/dashboard?page=1&pageSize=25`, { headers: { cookie } });
if (!response.ok) throw new Error(`The list of releases answered ${response.status}.`);
const rows = await response.text();

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Releases</title>
<h1>Releases</h1><table><tbody></tbody></table>
<script type="module">
const { releases } = await (await fetch('/rows')).json();
const body = document.querySelector('tbody');
for (const { repo, version, stage, outcome, blockers, updatedAt } of releases) {
  const row = body.insertRow();
  const head = document.createElement('th');
  head.scope = 'row';
  head.textContent = repo + ' ' + version;
  row.append(head);
  for (const text of [stage, outcome, blockers[0]?.detail ?? '', updatedAt]) row.insertCell().textContent = text;
}
</script></html>`;

const app = fastify();
app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(PAGE));
app.get('/rows', (_request, reply) => reply.type('application/json; charset=utf-8').send(rows));
await app.listen({ port: 0, host: '127.0.0.1' });
reportListening(app.server.address());
