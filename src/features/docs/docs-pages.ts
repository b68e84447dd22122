import { Injectable } from '@nestjs/common';
import { ApiDescription } from './api-description.js';
import { apiPage } from './page/api-page.js';

/** The description in the two forms in which it is served, each made when it is first asked for. */
@Injectable()
export class DocsPages {
  private madeJson: string | null = null;
  private madeHtml: string | null = null;

  constructor(private readonly description: ApiDescription) {}

  get json(): string {
    this.madeJson ??= JSON.stringify(this.description.document, null, 2);
    return this.madeJson;
  }

  get html(): string {
    this.madeHtml ??= apiPage(this.description.document);
    return this.madeHtml;
  }
}
