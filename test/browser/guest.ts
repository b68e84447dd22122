import type { Browser, BrowserContext, Page } from 'playwright-core';

const PATIENCE_MS = 60_000;

export interface GuestOptions {
  /** Of the window, in pixels. */
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** False where the browser runs none. */
  readonly scripts?: boolean;
}

/** A new visitor with a browser of their own. It records the errors of the console. */
export class Guest {
  readonly complaints: string[] = [];

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async arrive(
    browser: Browser,
    { width = 1000, scripts = true, colorScheme = 'light' }: GuestOptions = {},
  ): Promise<Guest> {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      javaScriptEnabled: scripts,
      colorScheme,
    });
    // Less than a test may take, so that it says what it waited for.
    context.setDefaultTimeout(PATIENCE_MS);
    return Guest.of(context, await context.newPage());
  }

  /** The visitor in another tab, for example in one that a link has opened. */
  static of(context: BrowserContext, page: Page): Guest {
    const guest = new Guest(context, page);
    // What the security policy forbids is complained of on the console, too.
    guest.page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) guest.complaints.push(message.text());
    });
    guest.page.on('pageerror', (error) => guest.complaints.push(error.message));
    guest.page.on('dialog', (dialog) => {
      guest.complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return guest;
  }

  /** Goes through the consent page of GitHub, from a page that offers to sign in. */
  async signInAs(login: string): Promise<void> {
    await this.page.getByRole('link', { name: 'Sign in with GitHub' }).click();
    await this.page.getByRole('heading', { name: 'Authorize Shipgate' }).waitFor();
    await this.page.locator(`button[value="${login}"]`).click();
  }

  /** The heading of the page, once it is this one. */
  async reads(heading: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  }

  /** A part of the workspace's page, by its title, once it has come. */
  async part(title: string): Promise<string> {
    const part = this.page.getByRole('region', { name: title, exact: true });
    // It is there before what it shows, and before that there is nothing to wait for.
    await part.waitFor();
    await part.locator('[aria-busy]').waitFor({ state: 'detached' });
    return part.innerText();
  }

  /** The value of the `Cookie` header that the browser would send. */
  async cookie(): Promise<string> {
    return (await this.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}
