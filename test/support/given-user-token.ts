import { UserTokensService } from '../../src/features/accounts/users/user-tokens.service.js';
import type { User } from '../github-sim/state/user.js';
import type { TestEnvironment } from './test-environment.js';

/** Lets the service act for the user, as after a sign-in through GitHub. Returns the token. */
export async function givenUserToken(env: TestEnvironment, user: User): Promise<string> {
  const { id, login, name } = user;
  const { githubApp, github, app } = env;
  const accessToken = github.state.tokens.issueForUser(user, githubApp);
  const account = { id, login, name, avatarUrl: `${github.url}/avatars/${id}` };
  const pair = { accessToken, accessExpiresAt: null, refreshToken: null, refreshExpiresAt: null };
  await app.get(UserTokensService, { strict: false }).save(account, pair);
  return accessToken;
}
