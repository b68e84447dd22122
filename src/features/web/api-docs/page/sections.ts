import { STATUS_CODES } from 'node:http';
import type {
  MediaTypeObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from '@nestjs/swagger';
import { type Html, html } from '../../../../http/html.js';
import type { PlacedOperation } from '../route-contract.js';

/** Renders the prose of docstrings: paragraphs between empty lines, and `code` between backticks. */
export const renderText = (text: string): readonly Html[] =>
  text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`);

/** Renders one paragraph of such prose. */
export const inline = (text: string): readonly Html[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

type Schema = SchemaObject | ReferenceObject;

const REFERENCE = '#/components/schemas/';

/** Describes the type of a value. A named schema is a link to its section. */
function describeType(schema: Schema): Html {
  if ('$ref' in schema) {
    const name = schema.$ref.slice(REFERENCE.length);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const [only, ...others] = schema.allOf ?? schema.oneOf ?? schema.anyOf ?? [];
  if (only) return html`${[only, ...others].map((one, at) => html`${at === 0 ? '' : ' or '}${describeType(one)}`)}`;
  if (schema.items) return html`list of ${describeType(schema.items)}`;
  const types = [schema.type ?? 'any'].flat().join(' or ');
  return html`${types}${schema.format === undefined ? null : html`, ${schema.format}`}`;
}

/** Builds a table of the members of an object, or one line for any other type. */
export function schemaTable(schema: SchemaObject): Html {
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0)
    return html`<p>${describeType(schema)}${schema.additionalProperties ? ' with any members' : ''}</p>`;
  const required = new Set(schema.required);
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Member</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${members.map(([name, member]) => row(name, member, required.has(name)))}
      </tbody>
    </table>
  </div>`;
}

/** Builds the row of a member or parameter: its name, its type and its meaning. */
const row = (name: string, schema: Schema, required: boolean, description?: string): Html =>
  html`<tr>
    <th scope="row"><code>${name}</code>${required ? html` <span class="required">required</span>` : null}</th>
    <td>${describeType(schema)}</td>
    <td>${meaning(schema, description)}</td>
  </tr> `;

function meaning(schema: Schema, description?: string): readonly Html[] {
  const bounds = '$ref' in schema ? [] : renderBounds(schema);
  const text = description ?? ('$ref' in schema ? undefined : schema.description);
  return [
    ...(text === undefined ? [] : [html`<p>${inline(text)}</p>`]),
    ...(bounds.length === 0
      ? []
      : [html`<p class="bounds">${bounds.map((bound, at) => html`${at === 0 ? '' : '; '}${bound}`)}</p>`]),
  ];
}

const code = (value: unknown): Html => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;

function renderBounds(schema: SchemaObject): readonly Html[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern } = schema;
  const values = schema.enum as readonly unknown[] | undefined;
  return [
    values && html`one of ${values.map((value, at) => html`${at === 0 ? '' : ', '}${code(value)}`)}`,
    range(minLength, maxLength, 'character'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, 'item'),
    pattern === undefined ? undefined : html`matches ${code(pattern)}`,
    schema.default === undefined ? undefined : html`${code(schema.default)} unless given`,
    schema.example === undefined ? undefined : html`for example ${code(schema.example)}`,
  ].filter((bound) => bound !== undefined);
}

function range(least: number | undefined, most: number | undefined, unit: string): Html | undefined {
  if (least === undefined && most === undefined) return undefined;
  const units = unit === '' || (most ?? least) === 1 ? unit : `${unit}s`;
  if (least === undefined) return html`at most ${most ?? ''} ${units}`;
  return most === undefined ? html`at least ${least} ${units}` : html`${least} to ${most} ${units}`;
}

/** Builds the section of an operation: its access, its limit, its input and its responses. */
export function operationSection({ method, path, operation }: PlacedOperation): Html {
  const { operationId, summary = '', description = '', 'x-access': access, 'x-rate-limit': limit } = operation;
  const parameters = (operation.parameters ?? []) as readonly ParameterObject[];
  const body = operation.requestBody as RequestBodyObject | undefined;
  const responses = Object.entries(operation.responses) as [string, ResponseObject][];
  return html`<article id="${operationId}" aria-labelledby="${operationId}-title">
    <h3 id="${operationId}-title">
      <span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${path}</code>
    </h3>
    <p class="summary">${inline(summary)}</p>
    ${description === '' ? null : renderText(description)}
    <dl>
      <div>
        <dt>Who may call it</dt>
        <dd>${inline(access.summary)}</dd>
      </div>
      ${
        limit
          ? html`<div>
              <dt>How often</dt>
              <dd>${limit.limit} times in ${limit.windowSeconds} seconds for each ${limit.per}</dd>
            </div>`
          : null
      }
    </dl>
    ${parameters.length === 0 ? null : parameterTable(parameters)}
    ${
      body
        ? html`<h4>Body</h4>
            ${body.description === undefined ? null : renderText(body.description)}${renderContent(body.content)}`
        : null
    }
    <h4>Answers</h4>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">When</th>
            <th scope="col">Headers</th>
          </tr>
        </thead>
        <tbody>
          ${responses.map(responseRow)}
        </tbody>
      </table>
    </div>
    ${responses.filter(([status]) => status.startsWith('2')).map(renderSuccess)}
  </article> `;
}

const parameterTable = (parameters: readonly ParameterObject[]): Html =>
  html`<h4>Parameters</h4>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          ${parameters.map(({ name, in: place, required, schema = {}, description, example }) =>
            row(
              `${name}${place === 'query' ? '' : ` (${place})`}`,
              example === undefined ? schema : { ...schema, example: example as unknown },
              required ?? false,
              description,
            ),
          )}
        </tbody>
      </table>
    </div>`;

const responseRow = ([status, { description, headers = {} }]: [string, ResponseObject]): Html =>
  html`<tr>
    <th scope="row"><span class="status s${status.charAt(0)}">${status}</span> ${STATUS_CODES[status] ?? ''}</th>
    <td>${inline(description)}</td>
    <td>
      ${Object.keys(headers)
        .filter(isWorthNaming)
        .map((name) => html`<a href="#header-${name}"><code>${name}</code></a> `)}
    </td>
  </tr> `;

/** Every response has the request id, which the introduction describes once. */
const isWorthNaming = (header: string): boolean => header !== 'X-Request-Id';

const renderSuccess = ([status, { content }]: [string, ResponseObject]): Html =>
  content
    ? html`<h4>Body of ${status}</h4>
        ${renderContent(content)}`
    : html``;

const renderContent = (content: Readonly<Record<string, MediaTypeObject>>): readonly Html[] =>
  Object.entries(content).map(
    ([type, { schema, example }]) =>
      html`<p><code>${type}</code>${schema ? html`: ${describeType(schema)}` : null}</p>
        ${example === undefined ? null : html`<pre tabindex="0"><code>${formatExample(example)}</code></pre>`}`,
  );

const formatExample = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example, null, 2);
