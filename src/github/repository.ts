import type { JsonReader } from './json-reader.js';

/** A repository as the code host describes it now. */
export interface Repository {
  readonly id: number;
  readonly name: string;
  readonly owner: string;
  readonly ownerId: number;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly archived: boolean;
  readonly url: string;
}

export function repositoryOf(body: JsonReader): Repository {
  const owner = body.object('owner');
  return {
    id: body.integer('id'),
    name: body.text('name'),
    owner: owner.text('login'),
    ownerId: owner.integer('id'),
    private: body.flag('private'),
    defaultBranch: body.text('default_branch'),
    archived: body.flag('archived'),
    url: body.text('html_url'),
  };
}
