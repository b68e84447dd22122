import type { OpenApiDescription, Operation, Parameter, Reference } from './openapi-description.js';

export interface MatchedOperation {
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
  /** Percent-decoded values of the parameters in the path. */
  readonly pathValues: Readonly<Record<string, string>>;
}

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly literalSegments: number;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
}

/**
 * The routes of a repository are also available below its id: GitHub redirects to `/repositories/{id}/…` after a rename
 * or transfer. The description does not contain these paths.
 */
const REPOSITORY = '/repos/{owner}/{repo}';
const REPOSITORY_PATTERN = String.raw`/(?:repos/(?<owner>[^/]+)/(?<repo>[^/]+)|repositories/\d+)`;

const escaped = (literal: string): string => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Finds the operation of a request. */
export class OperationMatcher {
  private readonly routes: readonly Route[];

  constructor(private readonly description: OpenApiDescription) {
    this.routes = Object.entries(description.paths)
      .flatMap(([template, operations]) =>
        Object.entries(operations).map(([method, operation]) => this.route(template, method, operation)),
      )
      // `commits/{ref}/status` before `commits/{ref}`, whose parameter may contain slashes.
      .sort((a, b) => b.literalSegments - a.literalSegments);
  }

  /** `path` is percent-encoded and has no query. Returns null if no known operation matches. */
  find(method: string, path: string): MatchedOperation | null {
    for (const { pattern, operation, parameters, ...route } of this.routes) {
      const match = route.method === method.toUpperCase() ? pattern.exec(path) : null;
      if (match) return { operation, parameters, pathValues: decoded(match.groups ?? {}) };
    }
    return null;
  }

  private route(template: string, method: string, operation: Operation): Route {
    const parameters = (operation.parameters ?? []).map((parameter) => this.resolved(parameter));
    const multiSegment = new Set(parameters.filter((p) => p['x-multi-segment'] === true).map((p) => p.name));
    const ofRepository = template === REPOSITORY || template.startsWith(`${REPOSITORY}/`);
    const rest = ofRepository ? template.slice(REPOSITORY.length) : template;
    const source = rest.replaceAll(/\{(\w+)\}|([^{]+)/g, (_, name: string | undefined, literal: string) => {
      if (name === undefined) return escaped(literal);
      return `(?<${name}>${multiSegment.has(name) ? '.+' : '[^/]+'})`;
    });
    return {
      method: method.toUpperCase(),
      pattern: new RegExp(`^${ofRepository ? REPOSITORY_PATTERN : ''}${source}$`),
      literalSegments: template.split('/').filter((segment) => !segment.startsWith('{')).length,
      operation,
      parameters,
    };
  }

  private resolved(parameter: Parameter | Reference): Parameter {
    if (!('$ref' in parameter)) return parameter;
    const name = parameter.$ref.slice('#/components/parameters/'.length);
    const found = this.description.components.parameters[name];
    if (!found) throw new Error(`The description has no parameter "${name}".`);
    return found;
  }
}

function decoded(groups: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(groups).flatMap(([name, value]) => (value === undefined ? [] : [[name, decodeURIComponent(value)]])),
  );
}
