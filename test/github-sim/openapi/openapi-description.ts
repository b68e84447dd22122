import { existsSync, readFileSync } from 'node:fs';

/** A schema of OpenAPI 3.0, or a reference to one. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: OpenApiSchema;
  /** GitHub's extension for a path parameter that may contain slashes. */
  readonly 'x-multi-segment'?: boolean;
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, { readonly schema?: OpenApiSchema }>>;

export interface DescribedResponse {
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedResponse | Reference>>;
}

/** The part of GitHub's description of its REST API that the tests need: see `scripts/generate/github-openapi.mjs`. */
export interface OpenApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Payloads of webhooks by event and action, such as `repository_ruleset.created`. */
  readonly webhooks: Readonly<Record<string, OpenApiSchema>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, DescribedResponse>>;
  };
}

const FILE = 'github-openapi.json';

/** Reads the committed description. The compiler copies no JSON, so code in `dist/` reads the file in the sources. */
export function readOpenApiDescription(): OpenApiDescription {
  const beside = new URL(FILE, import.meta.url);
  const source = existsSync(beside) ? beside : new URL(`../../../../test/github-sim/openapi/${FILE}`, import.meta.url);
  return JSON.parse(readFileSync(source, 'utf8')) as OpenApiDescription;
}
