// Reduces GitHub's own REST description to the used operations, the webhooks that @octokit/webhooks-schemas lacks and the components
// that both need. The rest is unchanged, but without descriptions and examples. Usage:
//
//   npm pack @octokit/openapi && tar xzf octokit-openapi-*.tgz package/generated/api.github.com.json
//   npm run generate -- github-openapi package/generated/api.github.com.json
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../test/github-sim/openapi');
const [source] = process.argv.slice(2);
if (!source) {
  process.stderr.write('Usage: npm run generate -- github-openapi <path to api.github.com.json>\n');
  process.exit(64);
}
const description = JSON.parse(readFileSync(source, 'utf8'));
const operations = JSON.parse(readFileSync(path.join(folder, 'operations.json'), 'utf8'));

/** Members that no exchange is compared with: prose, hints for missing values, and the headers of answers. */
const IGNORED = new Set([
  'description',
  'summary',
  'title',
  'example',
  'examples',
  'externalDocs',
  'tags',
  'default',
  'deprecated',
  'headers',
]);
/** The members of these keys have names of the API, so a property called `title` is no prose. */
const NAMES = new Set(['properties', 'patternProperties', 'schemas', 'parameters', 'responses', 'content']);
const USED_EXTENSIONS = new Set(['x-multi-segment']);

function withoutProse(node) {
  if (Array.isArray(node)) return node.map(withoutProse);
  if (node === null || typeof node !== 'object') return node;
  const trimmed = {};
  for (const [key, value] of Object.entries(node)) {
    if (IGNORED.has(key) || (key.startsWith('x-') && !USED_EXTENSIONS.has(key))) continue;
    // Enumerations and mappings contain values, not schemas.
    if (key === 'enum' || key === 'required' || key === 'discriminator') trimmed[key] = value;
    else if (NAMES.has(key) && !Array.isArray(value)) {
      trimmed[key] = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutProse(inner)]));
    } else trimmed[key] = withoutProse(value);
  }
  return trimmed;
}

function references(node, found = []) {
  if (Array.isArray(node)) for (const item of node) references(item, found);
  else if (node !== null && typeof node === 'object') {
    if (typeof node.$ref === 'string') found.push(node.$ref);
    for (const value of Object.values(node)) references(value, found);
  }
  return found;
}

const paths = {};
for (const operation of operations) {
  const [method, template] = operation.split(' ');
  const described = description.paths[template]?.[method.toLowerCase()];
  if (!described) throw new Error(`GitHub's description has no operation ${operation}.`);
  const { operationId, parameters, requestBody, responses } = described;
  paths[template] ??= {};
  paths[template][method.toLowerCase()] = withoutProse({
    operationId,
    ...(parameters && { parameters }),
    ...(requestBody && { requestBody }),
    responses,
  });
}

const webhooks = {};
for (const action of ['created', 'edited', 'deleted']) {
  const { requestBody } = description['x-webhooks'][`repository-ruleset-${action}`].post;
  webhooks[`repository_ruleset.${action}`] = withoutProse(requestBody.content['application/json'].schema);
}

const components = {};
const waiting = references([paths, webhooks]);
const seen = new Set();
for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
  if (seen.has(reference)) continue;
  seen.add(reference);
  const [, , kind, name] = reference.split('/');
  components[kind] ??= {};
  components[kind][name] = withoutProse(description.components[kind][name]);
  references(components[kind][name], waiting);
}
for (const [kind, named] of Object.entries(components)) {
  components[kind] = Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const target = path.join(folder, 'github-openapi.json');
writeFileSync(
  target,
  `${JSON.stringify({ openapi: description.openapi, info: { version: description.info.version, license: description.info.license }, paths, webhooks, components })}\n`,
);
process.stdout.write(`${operations.length} operations, ${Object.keys(components.schemas).length} schemas: ${target}\n`);
