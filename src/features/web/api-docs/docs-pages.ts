import { Injectable } from '@nestjs/common';
import { SharedDocument } from '../../../http/shared-document.js';
import { ApiDescription } from './api-description.js';
import { apiPage } from './page/api-page.js';

/** The description in the two forms in which it is served, each made when it is first asked for. */
@Injectable()
export class DocsPages {
  private madeJson: SharedDocument | null = null;
  private madeHtml: SharedDocument | null = null;

  constructor(private readonly description: ApiDescription) {}

  get json(): SharedDocument {
    this.madeJson ??= new SharedDocument(JSON.stringify(this.description.document, null, 2));
    return this.madeJson;
  }

  get html(): SharedDocument {
    this.madeHtml ??= new SharedDocument(apiPage(this.description.document));
    return this.madeHtml;
  }
}
