import { Module } from '@nestjs/common';
import { WatchRequests } from './watch-requests.recorder.js';

/** For whoever finds that a look is wanted. It knows nobody who does. */
@Module({ providers: [WatchRequests], exports: [WatchRequests] })
export class WatchRequestsModule {}
