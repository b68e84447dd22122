import type { App } from './app.js';
import { Installation, type InstallationSpec } from './installation.js';
import type { Organization } from './organization.js';

/** Every installation of every app. */
export class Installations {
  private readonly installations: Installation[] = [];

  install(app: App, organization: Organization, spec: InstallationSpec): Installation {
    if (this.find(app, organization)) throw new Error(`${app.slug} is installed in ${organization.login}`);
    const installation = new Installation(app, organization, spec);
    this.installations.push(installation);
    installation.announce('created', spec.by ?? organization.founder);
    return installation;
  }

  remove(installation: Installation): void {
    this.installations.splice(this.installations.indexOf(installation), 1);
  }

  of(organization: Organization): readonly Installation[] {
    return this.installations.filter((installation) => installation.organization === organization);
  }

  ofApp(app: App): readonly Installation[] {
    return this.installations.filter((installation) => installation.app === app);
  }

  find(app: App, organization: Organization): Installation | null {
    return this.of(organization).find((installation) => installation.app === app) ?? null;
  }
}
