import { STATUS_CODES } from 'node:http';
import type { MediaTypeObject, ParameterObject, RequestBodyObject, ResponseObject } from '@nestjs/swagger';
import { type Markup, markup } from '../../../../http/html.js';
import type { PlacedOperation } from '../described-operation.js';
import { inline, prose } from './prose.js';
import { row, typeOf } from './schema-table.js';

/** Everything about one operation: who may call it, what it takes, and what it answers. */
export function operationSection({ method, path, operation }: PlacedOperation): Markup {
  const { operationId, summary = '', description = '', 'x-access': access, 'x-rate-limit': limit } = operation;
  const parameters = (operation.parameters ?? []) as readonly ParameterObject[];
  const body = operation.requestBody as RequestBodyObject | undefined;
  const responses = Object.entries(operation.responses) as [string, ResponseObject][];
  return markup`<article id="${operationId}" aria-labelledby="${operationId}-title">
    <h3 id="${operationId}-title">
      <span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${path}</code>
    </h3>
    <p class="summary">${inline(summary)}</p>
    ${description === '' ? null : prose(description)}
    <dl>
      <div>
        <dt>Who may call it</dt>
        <dd>${inline(access.summary)}</dd>
      </div>
      ${
        limit
          ? markup`<div>
              <dt>How often</dt>
              <dd>${limit.limit} times in ${limit.windowSeconds} seconds for each ${limit.per}</dd>
            </div>`
          : null
      }
    </dl>
    ${parameters.length === 0 ? null : parameterTable(parameters)}
    ${
      body
        ? markup`<h4>Body</h4>
            ${body.description === undefined ? null : prose(body.description)}${contentOf(body.content)}`
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
    ${responses.filter(([status]) => status.startsWith('2')).map(successOf)}
  </article> `;
}

const parameterTable = (parameters: readonly ParameterObject[]): Markup =>
  markup`<h4>Parameters</h4>
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

const responseRow = ([status, { description, headers = {} }]: [string, ResponseObject]): Markup =>
  markup`<tr>
    <th scope="row"><span class="status s${status.charAt(0)}">${status}</span> ${STATUS_CODES[status] ?? ''}</th>
    <td>${inline(description)}</td>
    <td>
      ${Object.keys(headers)
        .filter(isWorthNaming)
        .map((name) => markup`<a href="#header-${name}"><code>${name}</code></a> `)}
    </td>
  </tr> `;

/** Every answer has the id of its request, which the introduction says once. */
const isWorthNaming = (header: string): boolean => header !== 'X-Request-Id';

const successOf = ([status, { content }]: [string, ResponseObject]): Markup =>
  content
    ? markup`<h4>Body of ${status}</h4>
        ${contentOf(content)}`
    : markup``;

const contentOf = (content: Readonly<Record<string, MediaTypeObject>>): readonly Markup[] =>
  Object.entries(content).map(
    ([type, { schema, example }]) =>
      markup`<p><code>${type}</code>${schema ? markup`: ${typeOf(schema)}` : null}</p>
        ${example === undefined ? null : markup`<pre tabindex="0"><code>${shown(example)}</code></pre>`}`,
  );

const shown = (example: unknown): string => (typeof example === 'string' ? example : JSON.stringify(example, null, 2));
