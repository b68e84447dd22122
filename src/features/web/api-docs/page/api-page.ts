import type { HeaderObject, OpenAPIObject, SchemaObject, SecuritySchemeObject } from '@nestjs/swagger';
import { type Html, html } from '../../../../http/html.js';
import { listOperations, type PlacedOperation } from '../route-contract.js';
import { PAGE_STYLE } from './page-style.js';
import { inline, operationSection, renderText, schemaTable } from './sections.js';

/** Renders the document as one page that needs no scripts and loads nothing. */
export function apiPage(document: OpenAPIObject): string {
  const { info, components, servers = [] } = document;
  const parts = toParts(document);
  const schemas = Object.entries(components?.schemas ?? {}) as [string, SchemaObject][];
  const headers = Object.entries(components?.headers ?? {}) as [string, HeaderObject][];
  const schemes = Object.entries(components?.securitySchemes ?? {}) as [string, SecuritySchemeObject][];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${info.title} API ${info.version}</title>
        ${PAGE_STYLE}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the operations</a>
        <header>
          <h1>${info.title} API <span class="version">${info.version}</span></h1>
          ${renderText(info.description ?? '')}
          <p>
            Paths are relative to <code>${servers[0]?.url ?? '/'}</code>. For machines there is
            <a href="openapi.json">the OpenAPI document</a>.
          </p>
        </header>
        <nav aria-label="Contents">
          <ul>
            <li><a href="#credentials">Credentials</a></li>
            ${parts.map(renderContents)}
            <li><a href="#headers">Headers of answers</a></li>
            <li><a href="#schemas">Schemas</a></li>
          </ul>
        </nav>
        <main id="main">
          <section id="credentials">
            <h2>Credentials</h2>
            <dl>
              ${schemes.map(
                ([name, scheme]) =>
                  html`<div>
                    <dt>${name}</dt>
                    <dd>
                      <p><code>${describeUsage(scheme)}</code></p>
                      ${renderText(scheme.description ?? '')}
                    </dd>
                  </div>`,
              )}
            </dl>
          </section>
          ${parts.map(
            ({ name, description, operations }) =>
              html`<section id="${name}">
                <h2>${toTitle(name)}</h2>
                ${renderText(description)} ${operations.map(operationSection)}
              </section> `,
          )}
          <section id="headers">
            <h2>Headers of answers</h2>
            <dl>
              ${headers.map(
                ([name, { description = '', example }]) =>
                  html`<div id="header-${name}">
                    <dt><code>${name}</code></dt>
                    <dd>
                      ${renderText(description)}
                      <p>For example <code>${String(example)}</code></p>
                    </dd>
                  </div>`,
              )}
            </dl>
          </section>
          <section id="schemas">
            <h2>Schemas</h2>
            ${schemas.map(
              ([name, schema]) =>
                html`<article id="schema-${name}">
                  <h3>${name}</h3>
                  ${schema.description === undefined ? null : html`<p>${inline(schema.description)}</p>`}${schemaTable(schema)}
                </article> `,
            )}
          </section>
        </main>
      </body>
    </html> `.text;
}

interface Part {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
}

/** Groups the operations by their first tag, in the order of the tags. */
function toParts(document: OpenAPIObject): readonly Part[] {
  const operations = listOperations(document);
  return (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags?.[0] === name),
  }));
}

const renderContents = ({ name, operations }: Part): Html =>
  html`<li>
    <a href="#${name}">${toTitle(name)}</a>
    <ul>
      ${operations.map(
        ({ method, path, operation }) =>
          html`<li>
            <a href="#${operation.operationId}"
              ><span class="method ${method.toLowerCase()}">${method}</span> ${path}</a
            >
          </li>`,
      )}
    </ul>
  </li> `;

const toTitle = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const describeUsage = ({ type, name, bearerFormat = '<token>' }: SecuritySchemeObject): string =>
  type === 'http' ? `Authorization: Bearer ${bearerFormat}` : `Cookie: ${name}=…`;
