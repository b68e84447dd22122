import { UserTokensService } from '../../src/features/accounts/users/user-tokens.service.js';
import type { User } from '../github-sim/state/user.js';
import type { TestEnvironment } from './world.js';

/** Lets the service act for the person, as a sign-in through GitHub would; the answer is the token. */
export async function givenUserToken(world: TestEnvironment, user: User): Promise<string> {
  const { id, login, name } = user;
  const { githubApp, github, app } = world;
  const accessToken = github.world.tokens.issueForUser(user, githubApp);
  const person = { id, login, name, avatarUrl: `${github.url}/avatars/${id}` };
  const pair = { accessToken, accessExpiresAt: null, refreshToken: null, refreshExpiresAt: null };
  await app.get(UserTokensService, { strict: false }).save(person, pair);
  return accessToken;
}
