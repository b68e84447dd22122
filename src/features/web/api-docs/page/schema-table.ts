import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { type Markup, markup } from '../../../../http/html.js';
import { inline } from './prose.js';

type Schema = SchemaObject | ReferenceObject;

const REFERENCE = '#/components/schemas/';

/** What a value is, in a few words; a named schema is linked to where it is shown. */
export function typeOf(schema: Schema): Markup {
  if ('$ref' in schema) {
    const name = schema.$ref.slice(REFERENCE.length);
    return markup`<a href="#schema-${name}">${name}</a>`;
  }
  const [only, ...others] = schema.allOf ?? schema.oneOf ?? schema.anyOf ?? [];
  if (only) return markup`${[only, ...others].map((one, at) => markup`${at === 0 ? '' : ' or '}${typeOf(one)}`)}`;
  if (schema.items) return markup`list of ${typeOf(schema.items)}`;
  const types = [schema.type ?? 'any'].flat().join(' or ');
  return markup`${types}${schema.format === undefined ? null : markup`, ${schema.format}`}`;
}

/** A table of an object's members, or a line about what is no object. */
export function schemaTable(schema: SchemaObject): Markup {
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0)
    return markup`<p>${typeOf(schema)}${schema.additionalProperties ? ' with any members' : ''}</p>`;
  const required = new Set(schema.required);
  return markup`<div class="scroll">
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

/** One member or parameter: its name, what it is, and what it means. */
export const row = (name: string, schema: Schema, required: boolean, description?: string): Markup =>
  markup`<tr>
    <th scope="row"><code>${name}</code>${required ? markup` <span class="required">required</span>` : null}</th>
    <td>${typeOf(schema)}</td>
    <td>${meaning(schema, description)}</td>
  </tr> `;

function meaning(schema: Schema, description?: string): readonly Markup[] {
  const bounds = '$ref' in schema ? [] : boundsOf(schema);
  const said = description ?? ('$ref' in schema ? undefined : schema.description);
  return [
    ...(said === undefined ? [] : [markup`<p>${inline(said)}</p>`]),
    ...(bounds.length === 0
      ? []
      : [markup`<p class="bounds">${bounds.map((bound, at) => markup`${at === 0 ? '' : '; '}${bound}`)}</p>`]),
  ];
}

const code = (value: unknown): Markup =>
  markup`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;

function boundsOf(schema: SchemaObject): readonly Markup[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern } = schema;
  const values = schema.enum as readonly unknown[] | undefined;
  return [
    values && markup`one of ${values.map((value, at) => markup`${at === 0 ? '' : ', '}${code(value)}`)}`,
    range(minLength, maxLength, 'character'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, 'item'),
    pattern === undefined ? undefined : markup`matches ${code(pattern)}`,
    schema.default === undefined ? undefined : markup`${code(schema.default)} unless given`,
    schema.example === undefined ? undefined : markup`for example ${code(schema.example)}`,
  ].filter((bound) => bound !== undefined);
}

function range(least: number | undefined, most: number | undefined, unit: string): Markup | undefined {
  if (least === undefined && most === undefined) return undefined;
  const units = unit === '' || (most ?? least) === 1 ? unit : `${unit}s`;
  if (least === undefined) return markup`at most ${most ?? ''} ${units}`;
  return most === undefined ? markup`at least ${least} ${units}` : markup`${least} to ${most} ${units}`;
}
