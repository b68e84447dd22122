import { Injectable } from '@nestjs/common';
import type { Person } from '../../../auth/user.js';
import { Database } from '../../../database/database.js';

interface PersonRow {
  readonly github_id: string;
  readonly login: string;
  readonly name: string | null;
  readonly avatar_url: string;
}

/** What people are called, as of when they last signed in. */
@Injectable()
export class PeopleReader {
  constructor(private readonly database: Database) {}

  /** By their ids; who never signed in is not in it. */
  async list(ids: readonly number[]): Promise<ReadonlyMap<number, Person>> {
    const rows = await this.database.lookup<PersonRow>(
      'read_people',
      'select github_id, login, name, avatar_url from read_people($1)',
      [ids],
    );
    return new Map(rows.map(personOf).map((person) => [person.id, person]));
  }
}

const personOf = (row: PersonRow): Person => ({
  id: Number(row.github_id),
  login: row.login,
  name: row.name,
  avatarUrl: row.avatar_url,
});
