import { Injectable } from '@nestjs/common';
import type { UpgradeRequest } from '../../domain/billing/upgrade-request.js';
import { PeopleReader } from '../accounts/users/people.reader.js';

/** A request as people read it: by whom, under the login that they last signed in with. */
export type NamedRequest<R extends UpgradeRequest = UpgradeRequest> = Omit<R, 'requestedBy'> & {
  readonly requestedBy: string | null;
};

/** Says who asked for what. */
@Injectable()
export class RequesterNames {
  constructor(private readonly people: PeopleReader) {}

  async name<R extends UpgradeRequest>(request: R): Promise<NamedRequest<R>> {
    return named(request, await this.people.list([request.requestedBy]));
  }

  /** The same for many, which are looked up at once. */
  async nameAll<R extends UpgradeRequest>(requests: readonly R[]): Promise<readonly NamedRequest<R>[]> {
    const people = await this.people.list([...new Set(requests.map(({ requestedBy }) => requestedBy))]);
    return requests.map((request) => named(request, people));
  }
}

const named = <R extends UpgradeRequest>(
  request: R,
  people: ReadonlyMap<number, { readonly login: string }>,
): NamedRequest<R> => ({ ...request, requestedBy: people.get(request.requestedBy)?.login ?? null });
