// Generated from the OpenAPI document by `npm run generate -- web-types`. Do not edit.
export interface paths {
    "/api/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** State the digest of an artifact of a release */
        post: operations["stateArtifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the audit log of the workspace */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export all matching entries as a file */
        get: operations["exportAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/head": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the last entry of the hash chain */
        get: operations["getAuditHead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Complete a sign-in: GitHub redirects the browser to this path */
        get: operations["completeSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Start a sign-in: redirect the browser to GitHub */
        get: operations["startSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the session */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the signed-in user and the selected workspace */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/workspace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Select the workspace of the session */
        post: operations["selectWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the workspaces of the user */
        get: operations["listWorkspaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the plan of the workspace and its use */
        get: operations["getPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/upgrade-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Request the pro plan */
        post: operations["requestUpgrade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/upgrade-requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw a request for the pro plan */
        delete: operations["withdrawUpgradeRequest"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/ci": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the settings that a CI client needs */
        get: operations["getCiConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/install/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Connect an organization: GitHub redirects the browser to this path after an installation or a request for one */
        get: operations["completeInstallation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/repo-warnings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the problems of the repositories of the workspace */
        get: operations["listRepositoryWarnings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set up the service with the credentials of its GitHub App, once */
        post: operations["completeSetup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the public status of the service */
        get: operations["getSetupStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credential": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Describe the credential of this request */
        get: operations["describeCredential"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the active releases of the workspace */
        get: operations["listActiveReleases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/waiting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the releases and reviews that wait for users */
        get: operations["countWaiting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/debug": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the diagnostics: versions, database, queue, freshness and GitHub rate limits
         * @description For the analysis of problems. Contains no secrets and no data of other workspaces.
         */
        get: operations["getDiagnostics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deployments that CI systems reported */
        get: operations["listReportedDeployments"];
        put?: never;
        /** Report the start or the end of a deployment */
        post: operations["reportDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get this description as an HTML page */
        get: operations["getApiPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what is deployed to the environments of the repositories */
        get: operations["listEnvironments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{name}/running": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the artifacts of a repository that run in an environment */
        get: operations["listRunningInEnvironment"];
        /** State which artifacts run in an environment */
        put: operations["stateRunning"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Stream the changes in the workspace as server-sent events */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evidence/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get one upload with its reports and their results */
        get: operations["getEvidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evidence/{id}/reports/{reportId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download a report as it was uploaded */
        get: operations["downloadReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evidence/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Upload evidence of one CI job for a release */
        post: operations["uploadEvidence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evidence/upload-report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Upload the report files of one CI job for a release */
        post: operations["uploadReports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/freezes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the freezes of the workspace */
        get: operations["listFreezes"];
        put?: never;
        /** Create a freeze: no gate of the workspace opens on its days */
        post: operations["createFreeze"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/freezes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Lift a freeze */
        delete: operations["liftFreeze"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether the process is alive
         * @description If there is no response, restart the process.
         */
        get: operations["checkHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether the process is ready
         * @description If it is not, send requests to another process. A restart does not help.
         */
        get: operations["checkReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deployments of the workspace */
        get: operations["listHistory"];
        put?: never;
        /** Record a deployment that GitHub did not report */
        post: operations["recordDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/history/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export all matching deployments as a file */
        get: operations["exportHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a release and its milestone on GitHub, as the user who requests it */
        post: operations["createRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the details of a release: its stages and the facts behind them */
        get: operations["getRelease"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/approval-record": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get how a release was approved */
        get: operations["getApprovalRecord"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the artifacts of a release */
        get: operations["listArtifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/audit-pack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download everything that is stored of a release as a signed archive */
        get: operations["downloadAuditPack"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/break-glass": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the active break-glass requests of a release */
        get: operations["listBreakGlassRequests"];
        put?: never;
        /** Request to open the gate for one commit in an emergency */
        post: operations["requestBreakGlass"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/break-glass/{requestId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw a break-glass request, confirmed or not */
        delete: operations["withdrawBreakGlass"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/break-glass/{requestId}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm the request of another admin */
        post: operations["confirmBreakGlass"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/break-glass/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm the only pending request */
        post: operations["confirmPendingBreakGlass"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the decisions of a release */
        get: operations["listDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/decisions/{decisionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a decision with its inputs */
        get: operations["getDecision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/decisions/{decisionId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Replay a decision from its stored inputs */
        get: operations["replayDecision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deployments of a release */
        get: operations["listReleaseDeployments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the evidence of a release */
        get: operations["listEvidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/evidence-pr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reopen an evidence pull request that was closed without a merge */
        post: operations["reopenEvidencePullRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Refresh a release from GitHub */
        post: operations["refreshRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/scope": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Link or unlink an issue of a release, or assign or unassign an owner */
        post: operations["changeScope"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/scope/assignees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find users to whom issues of a release can be assigned */
        get: operations["listAssignees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/scope/candidates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find issues that can be linked to a release */
        get: operations["listScopeCandidates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a release */
        post: operations["startRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a signed statement about the deploy gate of a release */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/waivers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the active waivers of a release and the requests for them */
        get: operations["listWaivers"];
        put?: never;
        /** Request a waiver of one condition of the candidate */
        post: operations["requestWaiver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/waivers/{waiverId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw a waiver or the request for one */
        delete: operations["withdrawWaiver"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{id}/waivers/{waiverId}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm the waiver that another admin requested */
        post: operations["confirmWaiver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/{owner}/{repo}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the releases of a repository */
        get: operations["listReleases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check the deploy gate of a release */
        get: operations["checkGate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/milestones/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find the release that a CI run builds */
        get: operations["resolveRelease"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get this description as an OpenAPI 3.1 document */
        get: operations["getOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/overrides": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the waivers and break-glass requests of all releases */
        get: operations["listOverrides"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/platform/upgrade-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the requests for the pro plan of all workspaces */
        get: operations["listUpgradeRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/platform/upgrade-requests/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve an upgrade request that was paid */
        post: operations["approveUpgradeRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/platform/upgrade-requests/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reject a request for the pro plan */
        post: operations["rejectUpgradeRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/platform/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the workspaces and their usage */
        get: operations["listWorkspaceUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/platform/workspaces/{org}/downgrade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Put a workspace on the free plan */
        post: operations["downgradeWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/policy/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check sdlc.yaml at a commit */
        get: operations["checkPolicy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the projects of the workspace */
        get: operations["listProjects"];
        put?: never;
        /** Create a project */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get one project with its repositories and their releases */
        get: operations["getProject"];
        put?: never;
        post?: never;
        /** Delete a project */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        /** Change the details of a project */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/api/projects/{id}/repos/{repoId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Add a repository to a project, or change its release */
        put: operations["linkRelease"];
        post?: never;
        /** Remove a repository from a project */
        delete: operations["unlinkRelease"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/quality": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the quality of the releases of the workspace */
        get: operations["listQuality"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/quality/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export the quality of all matching releases as a file */
        get: operations["exportQuality"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the repositories of the workspace with their setup states */
        get: operations["listRepositories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repos/{repoId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a repository with its setup state */
        get: operations["getRepository"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repos/{repoId}/bootstrap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Open the pull request that sets up a repository */
        post: operations["bootstrapRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repos/{repoId}/configure-rulesets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Configure or repair a repository's rulesets */
        post: operations["configureRulesets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repos/{repoId}/protection-rule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read whether GitHub holds the deployments of a repository for the gate */
        get: operations["getProtectionRule"];
        put?: never;
        /** Let GitHub hold the deployments of a repository until the gate is open */
        post: operations["enableProtectionRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repos/{repoId}/workflow-update-pr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Open the pull request that updates a repository's workflow files */
        post: operations["openWorkflowUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repos/{repoId}/workflow-update-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get whether a repository's workflow files are up to date */
        get: operations["getWorkflowUpdate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reviews/pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the evidence pull requests that wait for approvals */
        get: operations["listPendingReviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reviews/release/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get whether you may approve the evidence of a release */
        get: operations["getReview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reviews/release/{id}/brief": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get what changed in a release since the last shipped one */
        get: operations["getReviewBrief"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/running": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the artifacts that run in all environments */
        get: operations["listRunning"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/schemas/sdlc.v1.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the JSON Schema of sdlc.yaml, for editors and checks */
        get: operations["getPolicySchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find releases, repositories, projects, commits and members of the workspace */
        get: operations["searchWorkspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the API keys of the workspace, without their secrets */
        get: operations["listApiKeys"];
        put?: never;
        /** Create an API key for a CI system */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an API key permanently */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings/mcp-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your own keys for remote tools in the workspace, without their secrets */
        get: operations["listPersonalKeys"];
        put?: never;
        /** Create a key for your own tools, valid for 30 days */
        post: operations["createPersonalKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings/mcp-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke one of your own keys permanently */
        delete: operations["revokePersonalKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/statement-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the public keys that sign statements */
        get: operations["listStatementKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the sync status of the workspace */
        get: operations["getSyncStatus"];
        put?: never;
        /** Start a sync of the workspace or of one repository */
        post: operations["startSync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members and the pending invites of the workspace */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Invite a user who belongs to the organization on GitHub */
        post: operations["createInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/invites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw an invite */
        delete: operations["revokeInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/invites/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept an invite */
        post: operations["acceptInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/invites/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Show the workspace of an invite that you can accept */
        post: operations["previewInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a member from the workspace, with their personal keys */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /** Change the role of a member */
        patch: operations["changeMemberRole"];
        trace?: never;
    };
    "/api/team/members/{userId}/auditor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Let a member read the audit log without the role of an admin */
        put: operations["grantAuditor"];
        post?: never;
        /** End the right of a member to read the audit log without the role of an admin */
        delete: operations["revokeAuditor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Receive a webhook delivery of the GitHub App */
        post: operations["receiveWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptedInvite: {
            /** @description The workspace that is selected in the session. */
            workspace: components["schemas"]["WorkspaceMembership"];
        };
        AcceptInvite: {
            /**
             * @description The part of the link after `#`: `sgi_…`.
             * @example sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY
             */
            token: string;
        };
        ApiKey: {
            /** Format: date-time */
            createdAt: string;
            /**
             * @description The login of the admin who created it, at that time; `command line` if the operator of the service did.
             * @example ada
             */
            createdBy: string;
            /**
             * Format: date-time
             * @description Null if the key does not expire. An expired key is listed until it is revoked.
             */
            expiresAt: string | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description To the minute; null if the key was never used.
             */
            lastUsedAt: string | null;
            /** @example Jenkins */
            name: string;
            /**
             * @description The first characters of the secret, to recognize the key.
             * @example sgk_4fZq0B
             */
            prefix: string;
            /**
             * @description The names of the repositories that the key is limited to, without those that you cannot read; absent if it can access every
             *     repository of the workspace.
             * @example [
             *       "payments"
             *     ]
             */
            repos?: string[];
            scopes: ("evidence:write" | "gate:read" | "deployment:write")[];
        };
        ApiKeys: {
            /** @description The keys, newest first. */
            keys: components["schemas"]["ApiKey"][];
        };
        ApprovalCounts: {
            /**
             * @description The number that counts by the last evaluation; null if the evaluation did not store it.
             * @example 1
             */
            given: number | null;
            /**
             * @description The number that the policy requires; null if no valid `sdlc.yaml` is known now.
             * @example 2
             */
            required: number | null;
        };
        ApprovalEffects: {
            /** @enum {string} */
            status: "configured" | "unknown";
            /**
             * @description In one sentence.
             * @example With the approvals of 2 eligible reviewers and no requested changes, the evidence of v1.4.0 counts as approved. This alone deploys nothing. A deployer must deploy it to production while the gate is open.
             */
            summary: string;
        };
        ApprovalRecord: {
            /** @description The decision that opened the gate for the deployment that shipped the release, otherwise the newest one; null before the first. */
            decision: components["schemas"]["RecordedDecision"] | null;
            /** @description The newest 50 deployments of the release, oldest first. */
            deployments: components["schemas"]["DeploymentRecord"][];
            /** @description The first 100 uploads that decided, in the order of their arrival. */
            evidence: components["schemas"]["RecordedEvidence"][];
            /**
             * @description The number of further uploads that decided. The audit pack lists them.
             * @example 0
             */
            moreEvidence: number;
            /** @description The newest 100 overrides, oldest first. */
            overrides: components["schemas"]["RecordedRequest"][];
            /** @description The newest 20 evidence pull requests, oldest first. */
            pulls: components["schemas"]["RecordedPull"][];
            /**
             * Format: date-time
             * @description The time of the read.
             */
            readAt: string;
            release: components["schemas"]["Release"];
        };
        ApproveUpgradeRequest: {
            /**
             * @description The reference of the payment.
             * @example INV-2026-0815
             */
            paymentReference: string;
        };
        Artifact: {
            /** @description The policy of the release accepts it now. */
            accepted: boolean;
            /** @enum {string} */
            binding: "pending" | "provenance" | "run" | "none";
            bundles: components["schemas"]["ArtifactBundle"][];
            /** @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392 */
            commitSha: string;
            /** @enum {string} */
            commitSource: "token" | "stated" | "candidate" | "branch_head";
            /** @example sha256:4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e */
            digest: string;
            /** Format: uuid */
            id: string;
            /** @example api */
            name: string;
            /** Format: date-time */
            receivedAt: string;
            /**
             * @description The id of the run that stated it; null for an API key.
             * @example 8123456789
             */
            runId: string | null;
        };
        ArtifactBundle: {
            /** @description Null unless it is verified. */
            provenance: components["schemas"]["Provenance"] | null;
            /**
             * @description Why it is invalid, as a sentence for users; null otherwise.
             * @example It was built in the repository with the id 7, not in this one.
             */
            reason: string | null;
            /** @example aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa */
            sha256: string;
            /** @enum {string} */
            status: "pending" | "verified" | "invalid";
        };
        ArtifactList: {
            artifacts: components["schemas"]["Artifact"][];
        };
        ArtifactReceipt: {
            /** Format: uuid */
            artifactId: string;
            /**
             * @description What binds the artifact to its commit. `pending` while a bundle is being verified.
             * @enum {string}
             */
            binding: "pending" | "provenance" | "run" | "none";
        };
        ArtifactStatement: {
            /** @description The JSON object of a Sigstore bundle that proves who built it, of at most 1 MB. */
            bundle?: {
                [key: string]: unknown;
            };
            /**
             * @description The commit that it was built from. An identity token has its own.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commit_sha?: string;
            /**
             * @description The digest of its bytes: `sha256:` and 64 lower-case hexadecimal digits.
             * @example sha256:4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e
             */
            digest: string;
            /**
             * @description The name by which the policy requires it.
             * @example api
             */
            name: string;
            /**
             * @description The repository, as `name` or `owner/name`.
             * @example acme/payments
             */
            repo: string;
            /**
             * @description The version of the release: the exact title of its milestone.
             * @example v1.4.0
             */
            version: string;
        };
        AuditActor: {
            /** @description The numeric id of the user on GitHub. Absent for the service. */
            id?: number;
            /**
             * @description The login of the user at that time. Absent for the service.
             * @example ada
             */
            login?: string;
            /**
             * @description `person`: a user. `service`: the service itself, for example after GitHub reports that a user left the organization.
             * @enum {string}
             */
            type: "person" | "service";
        };
        AuditEntry: {
            /** @enum {string} */
            action: "installation.linked" | "installation.unlinked" | "member.joined" | "member.removed" | "member.role_changed" | "member.auditor_granted" | "member.auditor_revoked" | "invite.created" | "invite.revoked" | "invite.accepted" | "api_key.created" | "api_key.revoked" | "personal_key.created" | "personal_key.revoked" | "plan.upgrade_requested" | "plan.request_withdrawn" | "plan.upgraded" | "plan.upgrade_rejected" | "plan.downgraded" | "policy_default.changed" | "protection.requested" | "protection.changed" | "protection_rule.enabled" | "bootstrap.begun" | "bootstrap.merged" | "bootstrap.closed" | "repository.tampered" | "repository.restored" | "release.made" | "release.started" | "artifact.stated" | "artifact.verified" | "evidence_pull.reopened" | "freeze.made" | "freeze.lifted" | "waiver.requested" | "waiver.confirmed" | "waiver.withdrawn" | "break_glass.requested" | "break_glass.confirmed" | "break_glass.withdrawn" | "deployment.recorded" | "deployment.reported" | "running.changed" | "promotion.sent" | "promotion.unknown" | "issue.linked" | "issue.unlinked" | "issue.assigned" | "issue.unassigned" | "workflow_update.opened" | "workflow_update.merged";
            actor: components["schemas"]["AuditActor"];
            /** Format: date-time */
            at: string;
            /** @description More values of the action. The members depend on the action. */
            data: {
                [key: string]: unknown;
            };
            /**
             * @description SHA-256 of the entry and the hash before, in lower-case hexadecimal digits.
             * @example 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
             */
            hash: string;
            /** Format: uuid */
            id: string;
            /**
             * @description The hash of the entry before. 64 zeros for the first entry.
             * @example 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
             */
            previousHash: string;
            /** @description Entries are numbered from 1 without a gap. */
            sequence: number;
            /**
             * @description The name of the object of the action at that time.
             * @example build farm
             */
            subject: string;
        };
        AuditHead: {
            /**
             * @description The hash of the last entry. 64 zeros if there is none.
             * @example 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
             */
            hash: string;
            /** @description The number of entries, also of those that are hidden from you. */
            sequence: number;
        };
        AuditLog: {
            /** @description Newest first. With a filter, entries that do not match or are hidden are left out. `sequence` shows the gaps. */
            entries: (components["schemas"]["AuditEntry"] | components["schemas"]["HiddenAuditEntry"])[];
            /** @description Present only with `page` or `pageSize`. */
            pagination?: components["schemas"]["PageInfo"];
            /**
             * Format: uuid
             * @description The id of the workspace, which is part of every hash.
             */
            workspace: string;
        };
        Billing: {
            managedRepositories: components["schemas"]["ManagedRepositories"];
            /**
             * @description The effective plan. Without billing, every workspace has the limits of `pro`.
             * @enum {string}
             */
            plan: "free" | "pro";
            /** @description The newest request that was not withdrawn. Null if there is none. */
            request: components["schemas"]["UpgradeRequest"] | null;
            storage: components["schemas"]["StorageUse"];
        };
        Bootstrap: {
            /**
             * @description Null if there was nothing to propose.
             * @example 12
             */
            prNumber: number | null;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/pull/12
             */
            prUrl: string | null;
            /**
             * @description `PR_OPEN`, or a state after the merge if the repository already had all files.
             * @example PR_OPEN
             * @enum {string}
             */
            status: "NOT_STARTED" | "PR_OPEN" | "MERGED" | "PROTECTION_PENDING" | "PROTECTION_FAILED" | "COMPLETE" | "LEGACY" | "SUSPENDED" | "REMOVED";
        };
        BranchProtection: {
            /**
             * @description The problem and the next step; null if there is no problem.
             * @example null
             */
            detail: string | null;
            /**
             * @description `pending`: it is being configured. `active`: as required, or stricter. `drifted`: weaker than configured. `failed`: it
             *     could not be configured. `advisory`: the repository's plan on GitHub has no rulesets. `unknown`: it was never requested.
             * @example pending
             * @enum {string}
             */
            status: "unknown" | "pending" | "active" | "drifted" | "failed" | "advisory";
        };
        BreakGlassRequest: {
            /**
             * @description The login of the user who confirmed it; null while it waits for a confirmation.
             * @example bob
             */
            confirmedBy: string | null;
            /**
             * @description The GitHub id of that user; null while it waits for a confirmation.
             * @example 1024025
             */
            confirmedById: number | null;
            /**
             * Format: date-time
             * @description Until when it can be confirmed and, once it is confirmed, until when it is in effect.
             */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** @example verified by hand */
            reason: string;
            /** Format: date-time */
            requestedAt: string;
            /**
             * @description The login of the user who requested it, at that time.
             * @example ada
             */
            requestedBy: string;
            /**
             * @description The GitHub id of that user. Unlike the login it never changes, so it identifies your own requests.
             * @example 583231
             */
            requestedById: number;
            /**
             * @description The only commit that the gate is open for.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            sha: string;
        };
        BreakGlassRequests: {
            /** @description The break-glass requests that are in effect or wait for a confirmation, oldest first. */
            breakGlass: components["schemas"]["BreakGlassRequest"][];
        };
        BriefScope: {
            /** @example 14 */
            closed: number;
            /** @description The first of them. */
            issues: components["schemas"]["ScopeIssue"][];
            /**
             * Format: date-time
             * @description When it was last read; null if it was never read.
             */
            observedAt: string | null;
            /** @example 2 */
            open: number;
            /**
             * @description Why it is unknown; null if it is current.
             * @example null
             */
            reason: string | null;
            /**
             * @description `unknown` if it was never read or the last read is too old.
             * @enum {string}
             */
            status: "current" | "unknown";
        };
        BriefTests: {
            /** @description Null if no release was shipped before, or if it has no tests. */
            before: components["schemas"]["TestCounts"] | null;
            /** @description The difference by name; null unless `comparison` is `known`, or if the names of the release before are not known. */
            change: components["schemas"]["TestChange"] | null;
            /**
             * @description `pending`: the comparison is queued. `unknown`: no comparison is possible.
             * @enum {string}
             */
            comparison: "known" | "pending" | "unknown";
            /** @description Null unless `comparison` is `known`. */
            flaky: components["schemas"]["FlakyTests"] | null;
            /** @description Null if there are none. */
            now: components["schemas"]["TestCounts"] | null;
        };
        CategoryScore: {
            /**
             * @description A sentence for users.
             * @example 199 of 200 tests passed; 0 were flaky, and 3 skipped.
             */
            detail: string;
            /** @enum {string} */
            name: "tests" | "coverage" | "sast" | "vulnerabilities" | "completeness";
            /**
             * @description Null if it was not measured.
             * @example 99.5
             */
            score: number | null;
            /** @enum {string} */
            status: "passed" | "failed" | "incomplete";
            /**
             * @description The percentage of the whole score if every category was measured.
             * @example 40
             */
            weight: number;
        };
        ChangedFile: {
            /** @example main */
            branch: string;
            /** @example .github/workflows/shipgate-enforce.yml */
            path: string;
        };
        ChangeRole: {
            /**
             * @example admin
             * @enum {string}
             */
            role: "member" | "admin";
        };
        CiConfig: {
            /**
             * @description The audience for which CI runs must request their identity tokens.
             * @example shipgate
             */
            audience: string;
            /**
             * Format: uri
             * @description The issuer whose identity tokens the service accepts.
             * @example https://token.actions.githubusercontent.com
             */
            issuer: string;
            limits: components["schemas"]["UploadLimits"];
            /**
             * @description The fields that `POST /api/evidence/upload-report` knows. It rejects every other field.
             * @example [
             *       "repo",
             *       "version",
             *       "pipeline",
             *       "file"
             *     ]
             */
            upload_fields: string[];
            /**
             * @description The version of the service.
             * @example 0.1.0
             */
            version: string;
        };
        CiRun: {
            /** @example 1 */
            attempt: number;
            /** @example 9123456789 */
            id: string;
            /** @description Whether an identity token proves the run. If not, the id is the URL that the upload states. */
            proven: boolean;
        };
        CliDescription: {
            /**
             * @description The versions of Node on which it runs, as a semver range.
             * @example ^20.19 || >=22.12
             */
            node: string;
            /**
             * @description The SHA-256 of the file, as `sha256sum` prints it.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string;
            /**
             * @description In bytes.
             * @example 1204331
             */
            size: number;
            /**
             * @description The version of the tool and of the service.
             * @example 0.1.0
             */
            version: string;
        };
        ClosedIssuesRule: {
            /**
             * @example [
             *       "bug"
             *     ]
             */
            exemptLabels: string[];
            /**
             * @description The organization's default or the repository's `sdlc.yaml`; absent if the organization has no default.
             * @enum {string}
             */
            source?: "organization" | "repository";
        };
        CodeChanges: {
            /** @example 12 */
            commits: number;
            /** @description False if GitHub listed only a part, so that there are more. */
            commitsComplete: boolean;
            /** @example 34 */
            files: number;
            /** @description False if GitHub listed only a part, so that there are more. */
            filesComplete: boolean;
            /**
             * @description The first of the files.
             * @example [
             *       "src/pay.ts"
             *     ]
             */
            paths: string[];
        };
        Condition: {
            /**
             * @description The user or role that can meet it.
             * @enum {string}
             */
            actor: "team" | "ci" | "reviewer" | "deployer" | "admin" | "service";
            /**
             * @description A stable code for programs.
             * @example approvals_missing
             * @enum {string}
             */
            code: "not_started" | "scope_empty" | "issue_unowned" | "issue_open" | "no_candidate" | "two_release_branches" | "no_development_branch" | "not_deployed_to_stage" | "soaking" | "check_missing" | "check_pending" | "check_failing" | "check_skipped" | "evidence_missing" | "artifact_missing" | "artifact_ambiguous" | "provenance_missing" | "provenance_invalid" | "evidence_incomplete" | "evidence_failing" | "too_few_tests" | "quality_evidence_missing" | "quality_gate_failing" | "policy_missing" | "policy_invalid" | "policy_unknown" | "evidence_pull_pending" | "evidence_pull_outdated" | "evidence_pull_merged_unapproved" | "evidence_pull_not_merged" | "evidence_pull_closed" | "evidence_pull_altered" | "approvals_missing" | "changes_requested" | "no_reviewer_left" | "not_deployed" | "cancelled" | "milestone_renamed" | "milestone_closed" | "freeze" | "tampered" | "workflows_unknown" | "plan_limit" | "repository_removed" | "not_the_candidate" | "environment_not_named" | "deployment_ended" | "not_ready" | "unknown" | "facts_stale";
            /**
             * @description A sentence for users.
             * @example 1 of 2 approvals given by members of "release-managers".
             */
            detail: string;
            /**
             * Format: date-time
             * @description When a soak ends. Only an evaluation at that time or later clears the condition.
             */
            endsAt?: string;
            /**
             * @description The document that states the requirement; absent without a default of the organization.
             * @enum {string}
             */
            source?: "organization" | "repository";
            /**
             * Format: uri
             * @description The page where it can be met.
             */
            url?: string;
        };
        ConfigStatus: {
            /**
             * @description Null until the app is set up.
             * @example shipgate
             */
            appSlug: string | null;
            /**
             * @description The audience for which CI runs must request their identity tokens.
             * @example shipgate
             */
            audience: string;
            /**
             * @description Whether plans limit the managed repositories.
             * @example true
             */
            billing: boolean;
            /**
             * @description Whether the GitHub App is set up.
             * @example true
             */
            configured: boolean;
            /**
             * Format: uri
             * @description The address of GitHub's pages, without a trailing slash: that of a GitHub Enterprise Server, or github.com.
             * @example https://github.com
             */
            githubUrl: string;
            /**
             * @description The page on which an organization installs the app. Null until the app is set up.
             * @example https://github.com/apps/shipgate/installations/new
             */
            installUrl: string | null;
            /**
             * @description The address of the sign-in. Null until the app is set up.
             * @example https://shipgate.example.com/api/auth/login
             */
            loginUrl: string | null;
            /**
             * @description The version of the service.
             * @example 0.1.0
             */
            version: string;
        };
        ConfigureRulesets: {
            /**
             * @description A personal access token of an administrator of the repository. Required if the app lacks `administration: write`. It is
             *     stored encrypted until it is used, for at most an hour.
             * @example a-personal-access-token
             */
            pat?: string | null;
        };
        CountedApprovals: {
            /**
             * @description The number of approvals that count.
             * @example 1
             */
            given: number;
            /**
             * @description The number that the policy requires; 0 if it requires none, null if the policy is not known or the release is shipped.
             * @example 2
             */
            required: number | null;
            /** @description The last review of each user, newest first. */
            reviews: components["schemas"]["CountedReview"][];
        };
        CountedReview: {
            /**
             * @description The commit of the evidence pull request that was reviewed; null if GitHub names none.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitSha: string | null;
            /** @description An approval that counts is one of the given ones. A request for changes that counts blocks the approval. */
            counts: boolean;
            /** @example ada */
            login: string;
            /**
             * @description Why it does not count; null if it counts.
             * @example ada wrote a commit of this release.
             */
            reason: string | null;
            /** @enum {string} */
            state: "approved" | "changes_requested" | "dismissed";
            /**
             * Format: date-time
             * @example 2026-05-04T09:30:00Z
             */
            submittedAt: string;
        };
        CoverageGate: {
            /**
             * @description In percentage points, compared with the last shipped release.
             * @example 1
             */
            maxDrop: number | null;
            /** @example 80 */
            minLinePercent: number | null;
            sources?: components["schemas"]["CoverageSources"];
        };
        CoverageSources: {
            /** @enum {string} */
            maxDrop?: "organization" | "repository";
            /** @enum {string} */
            minLinePercent?: "organization" | "repository";
        };
        CreateApiKey: {
            /**
             * Format: date-time
             * @description When the key expires, with an offset from UTC. If absent, it does not expire.
             * @example 2099-01-01T00:00:00Z
             */
            expiresAt?: string | null;
            /**
             * @description A name for users, such as the CI system that uses the key.
             * @example Jenkins
             */
            name: string;
            /**
             * @description Limits the key to these repositories, each as `name`, `owner/name` or its Shipgate id. If absent, the key can access every
             *     repository of the workspace, now and later, including private ones that you cannot read.
             * @example [
             *       "payments"
             *     ]
             */
            repos?: string[] | null;
            /**
             * @example [
             *       "evidence:write"
             *     ]
             */
            scopes: ("evidence:write" | "gate:read" | "deployment:write")[];
        };
        CreateBreakGlassRequest: {
            /**
             * @description The reason why the deployment cannot wait.
             * @example Payments are down; this is the fix.
             */
            reason: string;
            /**
             * @description The commit, which must be the candidate.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            sha: string;
        };
        CreateDeploymentRecord: {
            /**
             * Format: date-time
             * @description The time of the deployment, with an offset from UTC; now if absent. The gate must have been open then.
             * @example 2026-05-06T18:00:00Z
             */
            deployedAt?: string;
            /**
             * @description The environment, which must be the target of the policy; the target if absent.
             * @example production
             */
            environment?: string;
            /**
             * Format: uuid
             * @description The id of the release.
             * @example 6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b
             */
            milestoneId: string;
            /**
             * @description A note for the history.
             * @example deployed while GitHub was down
             */
            note?: string;
        };
        CreatedInvite: {
            /**
             * Format: date-time
             * @description 7 days after the creation.
             */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /**
             * @description The token of the link.
             * @example sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY
             */
            token: string;
            /**
             * Format: uri
             * @description The link for the user. No later response contains it.
             * @example https://shipgate.example/invite#sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY
             */
            url: string;
        };
        CreateFreeze: {
            /**
             * Format: date
             * @description The first day, in UTC.
             * @example 2099-12-20
             */
            from: string;
            /**
             * @description The reason, shown to users and CI runs that meet the closed gate.
             * @example year end
             */
            reason: string;
            /**
             * Format: date
             * @description The last day, in UTC; it is included.
             * @example 2099-12-31
             */
            to: string;
        };
        CreateInvite: {
            /**
             * @description Whether the user may read the audit log at once, whatever the role.
             * @default false
             */
            auditor: boolean;
            /**
             * @description The GitHub login of the only user who can accept the invite. If absent, any user with the link can accept it.
             * @example grace
             */
            login?: string;
            /**
             * @description The role that the user gets.
             * @example member
             * @enum {string}
             */
            role: "member" | "admin";
        };
        CreatePersonalKey: {
            /**
             * @description A name for the key, such as the tool that uses it.
             * @example editor on my laptop
             */
            name: string;
            /**
             * @description `read`: the tools can read what you can read. `write`: they can also change what you can change.
             * @example read
             * @enum {string}
             */
            scope: "read" | "write";
        };
        CreateProject: {
            /** @example The new checkout, in the shop and in the apps. */
            description?: string | null;
            /**
             * @description The name, unique in the workspace ignoring case.
             * @example Checkout 2
             */
            name: string;
            /**
             * Format: date
             * @description The day on which all its releases should be deployed.
             * @example 2026-09-30
             */
            targetDate?: string | null;
        };
        CreateRelease: {
            /**
             * @description The description of the milestone, in Markdown.
             * @example Pay by card.
             */
            description?: string | null;
            /**
             * @description The due day. GitHub stores only the day of a timestamp.
             * @example 2026-05-06
             */
            dueOn?: string | null;
            /**
             * Format: uuid
             * @description The id of the repository.
             * @example 6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b
             */
            repoId: string;
            /**
             * @description The title of the milestone. If it is sent, it must equal the version.
             * @example v1.4.0
             */
            title?: string | null;
            /**
             * @description The version, in the naming format of the repository's policy.
             * @example v1.4.0
             */
            version: string;
        };
        CreateUpgradeRequest: {
            /**
             * @description A note for the platform admins.
             * @example Invoice to purchase order 4711
             */
            note?: string | null;
        };
        CreateWaiver: {
            /**
             * @description The code of the condition. The waiver covers all conditions with this code that are unmet now at the current candidate.
             * @example check_failing
             * @enum {string}
             */
            condition: "scope_empty" | "issue_unowned" | "issue_open" | "check_missing" | "check_failing" | "check_skipped" | "evidence_failing" | "too_few_tests" | "quality_gate_failing" | "freeze";
            /**
             * Format: date-time
             * @description When the waiver ends, within the next 7 days, with an offset from UTC.
             * @example 2026-05-06T18:00:00Z
             */
            expiresAt: string;
            /**
             * @description The reason for the waiver.
             * @example The e2e environment is down; verified by hand.
             */
            reason: string;
        };
        Credential: {
            /**
             * Format: date-time
             * @description Null if it does not expire, and for an identity token, which names its own end.
             */
            expiresAt: string | null;
            /** @enum {string} */
            kind: "api_key" | "identity_token";
            /**
             * @description The repositories that the credential can access; null if these are all repositories of the workspace.
             * @example [
             *       "acme/payments"
             *     ]
             */
            repos: string[] | null;
            /** @description An identity token has all of them. Runs of some events may not upload, though. */
            scopes: ("evidence:write" | "gate:read" | "deployment:write")[];
        };
        CurrentUser: {
            /** @description Whether the user decides upgrade requests of all workspaces. */
            platformAdmin: boolean;
            /**
             * @description Present only while new organizations are read. The user may become a member of a workspace within seconds.
             * @enum {boolean}
             */
            reading?: true;
            user: components["schemas"]["User"];
            /** @description Null if none is selected. */
            workspace: components["schemas"]["SelectedWorkspace"] | null;
        };
        Dashboard: {
            counts: components["schemas"]["OutcomeCounts"];
            /** @description Only if the request has `page` or `pageSize`. */
            pagination?: components["schemas"]["PageInfo"];
            /** @description The releases, in the order of `sort`. */
            releases: components["schemas"]["Release"][];
        };
        Decision: {
            /** Format: date-time */
            at: string;
            /** @description The candidate at that time; null if there was none. */
            candidateSha: string | null;
            /** Format: uuid */
            id: string;
            /** @description Whether the decision opened the gate. */
            open: boolean;
            /** @description The overrides that the decision used. */
            overrides: components["schemas"]["Override"][];
            /** @description SHA-256 over the policy in canonical form; null if no valid policy was known. */
            policyDigest: string | null;
            /** @description The conditions that kept the gate closed. */
            reasons: components["schemas"]["Condition"][];
            /** @enum {string} */
            stage: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
        };
        DecisionDetail: {
            /** Format: date-time */
            at: string;
            /** @description The candidate at that time; null if there was none. */
            candidateSha: string | null;
            /** Format: uuid */
            id: string;
            /**
             * @description The inputs of the verdict: the release's record, its evidence, the observed facts, the overrides and freezes, and the time.
             * @example {
             *       "now": "2026-05-04T10:00:00.000Z"
             *     }
             */
            inputs: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            milestoneId: string;
            /** @description Whether the decision opened the gate. */
            open: boolean;
            /** @description The overrides that the decision used. */
            overrides: components["schemas"]["Override"][];
            /** @description SHA-256 over the policy in canonical form; null if no valid policy was known. */
            policyDigest: string | null;
            /** @description The conditions that kept the gate closed. */
            reasons: components["schemas"]["Condition"][];
            /**
             * @description The version of the rules that made the decision: the first version of Shipgate that has them.
             * @example 0.1.0
             */
            rules: string;
            /**
             * @description Whether the rules have changed since. Then only `shipgate verify-pack` of the version in `rules` derives the decision again,
             *     from an audit pack of the release.
             */
            rulesChanged: boolean;
            /** @enum {string} */
            stage: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
            /**
             * @description The complete stored verdict.
             * @example {
             *       "stage": "EVIDENCING"
             *     }
             */
            verdict: {
                [key: string]: unknown;
            };
        };
        Decisions: {
            /** @description The decisions, newest first. */
            decisions: components["schemas"]["Decision"][];
            pagination?: components["schemas"]["PageInfo"];
        };
        DeploymentReceipt: {
            /**
             * Format: uuid
             * @description The decision by which the gate was answered when the deployment started; absent if there is none.
             */
            decisionId?: string;
            /**
             * Format: uuid
             * @description The id of the deployment, the same for all of its reports.
             */
            deploymentId: string;
            gate: components["schemas"]["ReportedGate"];
            /**
             * @description The kind in the history, or for `started` the kind that it would have after a success now. Null for an environment other than the
             *     target, if the deployment changes nothing or did not succeed, and while the history does not have it yet.
             * @enum {string|null}
             */
            kind: "release" | "hotfix" | "rollback" | "ungoverned" | null;
            /**
             * Format: uuid
             * @description The release of the commit; absent if there is none.
             */
            releaseId?: string;
        };
        DeploymentRecord: {
            /**
             * @description The logins of the users whose approvals counted.
             * @example [
             *       "rita"
             *     ]
             */
            approvers: string[];
            /**
             * @description The deployed commit: the candidate, or a commit that differs from it only in `.releases/`.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            candidateSha: string;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            candidateUrl: string;
            /**
             * Format: uuid
             * @description The decision that opened the gate; null if the gate does not apply, such as for a rollback.
             */
            decisionId: string | null;
            /** Format: date-time */
            deployedAt: string;
            /**
             * @description The login of the user who deployed or recorded the deployment; null if GitHub did not return it.
             * @example ada
             */
            deployedBy: string | null;
            /** @example production */
            environment: string;
            /** Format: uuid */
            id: string;
            /**
             * @description The name of the API key that reported it; null for every other source.
             * @example Jenkins
             */
            keyName: string | null;
            /**
             * @description `release` and `hotfix` shipped a release. `rollback`: a release that was shipped before the last one. `ungoverned`: the
             *     deployment bypassed the gate.
             * @enum {string}
             */
            kind: "release" | "hotfix" | "rollback" | "ungoverned";
            /**
             * @description The seconds since the release left PLANNING, or since its creation if it never did; null if nothing was shipped.
             * @example 86400
             */
            leadTimeSeconds: number | null;
            /**
             * Format: uuid
             * @description The id of the release; null if the deployed commit was no release's candidate.
             */
            milestoneId: string | null;
            /**
             * @description The note of the user who recorded it; null if there is none.
             * @example deployed while GitHub was down
             */
            note: string | null;
            /** @example acme */
            org: string;
            /** @description The overrides that the deployment used. */
            overrides: components["schemas"]["RecordedOverride"][];
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /**
             * Format: uri
             * @example https://github.com/acme/payments
             */
            repoUrl: string;
            /**
             * Format: uri
             * @description The page of the run that its reports name; null if there is none.
             * @example https://jenkins.example/job/payments/412/
             */
            runUrl: string | null;
            /** @description The score of the release when it was shipped; null if there is none. */
            score: number | null;
            /**
             * @description Who reported it: GitHub, a CI run, an API key, or an admin by hand. GitHub if it is known there, too.
             * @enum {string}
             */
            source: "github" | "run" | "api_key" | "manual";
            /** @example v1.4.0 */
            version: string | null;
        };
        DeploymentRules: {
            /** @description What the protection rule of the target does; absent if it holds deployments for 24 hours, which is the default. */
            hold?: components["schemas"]["HoldPolicy"];
            /** @enum {string} */
            promotion: "manual" | "auto";
            requiresEvidenceApproval: boolean;
            /** @example production */
            target: string;
        };
        DevelopmentRules: {
            /**
             * @description Null means the default branch of the repository.
             * @example main
             */
            branch: string | null;
            /** @description Every one of them applies; empty if issues may stay open. */
            closedIssues: components["schemas"]["ClosedIssuesRule"][];
            /** @example dev */
            deployTarget: string | null;
            requiredChecks: components["schemas"]["RequiredCheck"][];
            /**
             * @description How long the candidate must stay deployed there, in seconds; absent without a soak.
             * @example 86400
             */
            soak?: number;
        };
        Diagnostics: {
            codeHost: components["schemas"]["DiagnosticsGitHub"];
            database: components["schemas"]["DiagnosticsDatabase"];
            freshness: components["schemas"]["DiagnosticsFreshness"];
            /** @description Of all workspaces together. */
            queue: components["schemas"]["DiagnosticsQueue"];
            /** @description The storage of the workspace. */
            storage: components["schemas"]["StorageUse"];
            /**
             * Format: date-time
             * @description When an address outside `TRUSTED_PROXIES` last sent forwarding headers; null if none did. If it is your proxy, all of its
             *     clients share one rate limit.
             */
            untrustedForwarderAt: string | null;
            versions: components["schemas"]["DiagnosticsVersions"];
        };
        DiagnosticsBudget: {
            /** @description The number of GitHub URLs that failed several times and are not called, although others may work. */
            brokenAddresses: number;
            /** @description The state of the circuit breaker. */
            circuit: components["schemas"]["DiagnosticsCircuit"];
            /**
             * Format: date-time
             * @description GitHub has requested a pause until this time; null if it has not.
             */
            closedUntil: string | null;
            /** @description Calls per hour; null if GitHub has not reported it. */
            limit: number | null;
            /**
             * @description `workspace`: calls for this workspace. `app`: calls of the app itself, for all workspaces together.
             * @enum {string}
             */
            name: "app" | "workspace";
            remaining: number | null;
            /** Format: date-time */
            resetAt: string | null;
            /** @description Calls that wait for their turn. */
            waiting: number;
        };
        DiagnosticsCircuit: {
            /**
             * Format: date-time
             * @description No call is made before this time; null if calls are allowed.
             */
            openUntil: string | null;
            /**
             * @description `open`: GitHub failed several times, and no calls are made. `half_open`: the next call tries again.
             * @enum {string}
             */
            state: "closed" | "open" | "half_open";
        };
        DiagnosticsDatabase: {
            /**
             * @description The migrations of this version that have not run yet.
             * @example []
             */
            pendingMigrations: string[];
            /**
             * @description The standby for exports and whole lists, as this process sees it; null if there is none.
             * @example null
             */
            replica: components["schemas"]["DiagnosticsReplica"] | null;
            /**
             * @description The database role of the service.
             * @example shipgate_app
             */
            role: string;
            rowLevelSecurity: components["schemas"]["DiagnosticsRowLevelSecurity"];
        };
        DiagnosticsFreshness: {
            /**
             * Format: date-time
             * @description The time of the newest stored observation; null if there is none.
             */
            newestObservationAt: string | null;
            /**
             * Format: date-time
             * @description The time of the oldest stored observation; null if there is none.
             */
            oldestObservationAt: string | null;
            /** @description The number of repositories that the caller can read. The times below concern these. */
            repositories: number;
        };
        DiagnosticsGitHub: {
            /** @description The rate limits of GitHub, as this process last received them; empty before its first call. */
            budgets: components["schemas"]["DiagnosticsBudget"][];
            /** @description Whether the GitHub App is installed in the organization. */
            installed: boolean;
        };
        DiagnosticsQueue: {
            /** @description Jobs that are due now. */
            due: number;
            /** @description Jobs that failed in every attempt. */
            givenUp: number;
            /** @description Jobs with a later start. */
            later: number;
            running: number;
        };
        DiagnosticsReplica: {
            /** @description By how many seconds it is behind at most; null if that is not known. */
            behindSeconds: number | null;
            /** @description Whether exports and whole lists are read from it. Otherwise the primary answers them. */
            used: boolean;
        };
        DiagnosticsRowLevelSecurity: {
            /** @description Whether the database itself separates the workspaces. */
            holds: boolean;
            /**
             * @description The reasons if it does not.
             * @example []
             */
            problems: string[];
        };
        DiagnosticsVersions: {
            /** @example 24.21.0 */
            node: string;
            /** @example 18.4 */
            postgres: string;
            /** @example 0.1.0 */
            service: string;
        };
        DocumentSignature: {
            /** @example Ed25519 */
            algorithm: string;
            /**
             * @description The `kid` of a key of `/.well-known/shipgate-keys.json`.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            keyId: string;
            /**
             * @description In base64url.
             * @example 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
             */
            value: string;
        };
        EligibleReviewers: {
            /**
             * @description The slugs of the teams whose members may approve; if empty, every user with write access may.
             * @example [
             *       "release-managers"
             *     ]
             */
            teams: string[];
            /**
             * @description The members of the workspace whose approval would count by fresh facts, without those whose approval counts. Other users may
             *     be eligible too. Null if this is known of no member.
             */
            users: components["schemas"]["ReleaseUser"][] | null;
        };
        Environment: {
            /**
             * @description The deployed commit; null if no deployment is known, and if the latest one has ended.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitSha: string | null;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitUrl: string | null;
            /**
             * @description The kind of the last deployment of the commit in the history; null if the history has none.
             * @enum {string|null}
             */
            kind: "release" | "hotfix" | "rollback" | "ungoverned" | null;
            /**
             * Format: uuid
             * @description The id of the release of the commit; null if there is none.
             */
            milestoneId: string | null;
            /** @example staging */
            name: string;
            /** @enum {string} */
            role: "development" | "testing" | "deployment";
            /**
             * Format: uri
             * @description The page of the run; null if it is not known.
             */
            runUrl: string | null;
            /**
             * Format: date-time
             * @description When the deployment succeeded: by the clock of GitHub, or when its report arrived.
             */
            since: string | null;
            /** @enum {string|null} */
            source: "github" | "run" | "api_key" | "manual" | null;
            /** @example v1.4.0 */
            version: string | null;
        };
        EnvironmentList: {
            pagination: components["schemas"]["PageInfo"];
            /** @description The repositories with a valid policy, by name. */
            repositories: components["schemas"]["RepositoryEnvironments"][];
        };
        EvidenceDetails: {
            /** @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392 */
            commitSha: string;
            /**
             * @description The source of the commit: the identity token, the upload, or, as neither named one, the candidate or the head of the
             *     development branch at the time of the upload.
             * @enum {string}
             */
            commitSource: "token" | "stated" | "candidate" | "branch_head";
            /** Format: date-time */
            createdAt: string;
            /** @example staging */
            environment: string;
            /** Format: uuid */
            evidenceId: string;
            /**
             * @description Contradictions in the upload, as sentences.
             * @example []
             */
            flags: string[];
            /**
             * @description The job that uploaded it: the full name at GitHub if a token proves the job, otherwise the name that the upload states.
             * @example test (2, node 24)
             */
            job: string | null;
            /**
             * @description The group of jobs that upload together; null if the upload states none.
             * @example unit tests
             */
            jobGroup: string | null;
            /**
             * @description The number of jobs in the group.
             * @example 4
             */
            jobTotal: number | null;
            /**
             * @description The metrics that the upload states.
             * @example {
             *       "unit_tests": {
             *         "total": 3,
             *         "passed": 3,
             *         "failed": 0,
             *         "skipped": 0
             *       }
             *     }
             */
            metrics: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            milestoneId: string;
            /** @description The evidence items, one of each kind. */
            pieces: components["schemas"]["EvidenceItem"][];
            /** @example build and test */
            pipeline: string;
            /** @example acme/payments */
            repo: string;
            /** @description In the order of the upload. */
            reports: components["schemas"]["EvidenceReport"][];
            /** @description Null if the run is not known. */
            run: components["schemas"]["CiRun"] | null;
            /** Format: uri */
            runUrl: string | null;
            /**
             * @description Identifies the upload. The files have their own digests.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string;
            /**
             * @description The kind of credential.
             * @enum {string}
             */
            uploadedBy: "api_key" | "identity_token";
            /** @example v1.4.0 */
            version: string;
        };
        EvidenceItem: {
            /** @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392 */
            commitSha: string;
            /**
             * Format: date-time
             * @description When it was received.
             */
            createdAt: string;
            /** @description Whether the verdict of the release uses it now. A shipped release uses none, because its facts are frozen. */
            decides: boolean;
            /** @example staging */
            environment: string;
            /**
             * Format: uuid
             * @description The id of the upload. Items of one upload share it.
             */
            evidenceId: string;
            /**
             * @description The reasons for the status `failed`.
             * @example []
             */
            failures: string[];
            /**
             * @description The metrics by kind.
             * @example {
             *       "unit_tests": {
             *         "total": 12,
             *         "passed": 12,
             *         "failed": 0,
             *         "skipped": 0
             *       }
             *     }
             */
            metrics: {
                [key: string]: unknown;
            };
            /** @example build and test */
            pipeline: string;
            /**
             * Format: uri
             * @description The URL of the CI run.
             */
            runUrl: string | null;
            /**
             * @description The status of this item alone. `unmeasured`: it has no metrics that could pass.
             * @enum {string}
             */
            status: "passed" | "failed" | "unmeasured";
            /** @enum {string} */
            type: "unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom";
        };
        EvidenceList: {
            /** @description Newest first. */
            evidence: components["schemas"]["EvidenceItem"][];
            /** @description Only if the request has `page` or `pageSize`. */
            pagination?: components["schemas"]["PageInfo"];
        };
        EvidencePullStarted: {
            /** Format: uuid */
            milestoneId: string;
            /** @enum {string} */
            status: "opening";
        };
        EvidenceReceipt: {
            /**
             * @description The candidate of the release now; null if it has none, and while it is not known.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            candidateSha: string | null;
            /**
             * @description The commit of the evidence.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitSha: string;
            /**
             * @description The source of that commit: the identity token, or the upload. An upload with an API key that states none gets the candidate, or else
             *     the head of the development branch.
             * @enum {string}
             */
            commitSource: "token" | "stated" | "candidate" | "branch_head";
            /**
             * @description `decides`: the verdict of the release rests on the upload. `not_the_candidate`: its commit is not the candidate, or that is not known.
             *     `superseded`: it is evidence of the candidate, and the verdict rests on other evidence. `unknown_commit`: GitHub has no such commit.
             * @enum {string}
             */
            effect: "decides" | "not_the_candidate" | "superseded" | "unknown_commit";
            /** Format: uuid */
            evidenceId: string;
            /**
             * @description What the upload means for the release now, in one sentence.
             * @example Evidence received for v1.4.0 at 4f1c2d9; it counts at the candidate.
             */
            message: string;
            /** @description What the service found in the upload, one for each kind of evidence. */
            pieces: components["schemas"]["ReceivedEvidence"][];
            /**
             * Format: uri
             * @description The page of the release.
             * @example https://shipgate.example/w/acme/releases/6f0d1c9a
             */
            releaseUrl: string;
        };
        EvidenceReport: {
            /**
             * @description The report format. `html` and `json` are documents that no parser reads.
             * @example junit
             */
            format: string;
            /** Format: uuid */
            id: string;
            /** @example junit.xml */
            name: string;
            /** @description Null if the file is a document that no parser reads. */
            result: components["schemas"]["ParsedReport"] | null;
            /**
             * @description The SHA-256 of the uploaded bytes, as `sha256sum` prints it.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string;
            /**
             * @description In bytes.
             * @example 1480
             */
            size: number;
            /**
             * Format: uri
             * @description The URL of the download for signed-in users.
             * @example https://shipgate.example/api/evidence/6f0d/reports/9a51
             */
            url: string;
        };
        EvidenceReview: {
            /**
             * Format: uri
             * @description Null if it is not known, for example because the user never signed in to Shipgate.
             * @example https://avatars.githubusercontent.com/u/583231?v=4
             */
            avatarUrl: string | null;
            /**
             * @description The commit of the evidence pull request that was reviewed; null if GitHub names none.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitSha: string | null;
            /** @description An approval that counts is one of the given ones. A request for changes that counts blocks the approval. */
            counts: boolean;
            /** @example ada */
            login: string;
            /**
             * @description Why it does not count; null if it counts.
             * @example ada wrote a commit of this release.
             */
            reason: string | null;
            /** @enum {string} */
            state: "approved" | "changes_requested" | "dismissed";
            /**
             * Format: date-time
             * @example 2026-05-04T09:30:00Z
             */
            submittedAt: string;
            /**
             * @description The GitHub id of the reviewer, which a change of the login does not change.
             * @example 1001
             */
            userId: number;
        };
        EvidenceUpload: {
            /**
             * @description The tested commit. The commit of an identity token has priority.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commit_sha?: string;
            /**
             * @description The environment that was tested.
             * @default ci
             * @example staging
             */
            environment: string;
            files?: components["schemas"]["UploadedFile"][] | null;
            /**
             * @description The job of the run with its matrix values. A later attempt of the same job replaces the evidence of an earlier one. Not needed
             *     with an identity token, because GitHub names the job.
             * @example test (2/4)
             */
            job?: string;
            /**
             * @description The group of jobs that upload together, if no identity token proves the job. Needs `job` and `job_total`.
             * @example unit tests
             */
            job_group?: string;
            /** @description The number of jobs in the group. The evidence is incomplete until all of them have uploaded. */
            job_total?: number;
            /**
             * @description The kind of evidence. Needed only if neither the metrics nor the files contain it.
             * @enum {string}
             */
            kind?: "unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom";
            /** @description Metrics by kind, such as `{"unit_tests": {"total": 12, "passed": 12, "failed": 0, "skipped": 0}}`. Unknown members are stored. At most 10,000 values in 256 KB. */
            metrics?: {
                [key: string]: unknown;
            };
            /**
             * @description If present, it must be the organization of the credential.
             * @example acme
             */
            org?: string;
            /**
             * @description The display name of the pipeline.
             * @example build and test
             */
            pipeline: string;
            /**
             * @description The repository, as `name` or `owner/name`.
             * @example acme/payments
             */
            repo: string;
            /** @description Documents by name: a string is stored as HTML, other values as JSON. No verdict uses them. At most 500 including files; names of 1 to 255 characters. */
            reports?: {
                [key: string]: unknown;
            };
            /**
             * @description The attempt of the job in its run, from 1. The attempt of an identity token has priority.
             * @default 1
             */
            run_attempt: number;
            /**
             * Format: uri
             * @description The URL of the CI run. Without an identity token it also identifies the run.
             */
            run_url?: string;
            /**
             * @description The version of the release: the exact title of its milestone.
             * @example v1.4.0
             */
            version: string;
        };
        EvidencingRules: {
            requiredEvidence: components["schemas"]["RequiredEvidence"][];
            /** @description Every one of them applies if the evidence needs an approval; one user may count for each. */
            requiredReviewers: components["schemas"]["ReviewerRequirement"][];
        };
        FailedTest: {
            /** @description Null if it is not known. */
            history: components["schemas"]["FailedTestHistory"] | null;
            /**
             * @description Why it failed, by its report, at most 1,000 characters; null if the report does not say so, or if more than 20 items fail.
             * @example expected 402, got 200
             */
            message: string | null;
            /**
             * @description Suites, class and test.
             * @example Checkout › rejects an expired card
             */
            name: string;
        };
        FailedTestHistory: {
            /** @description The earliest run from which on it failed in every upload; null if it fails since the run of this evidence. */
            failingSince: components["schemas"]["FirstFailure"] | null;
            /**
             * @description The version of the release in whose evidence it last passed; null if no stored upload has it as passed.
             * @example v1.3.0
             */
            lastPassedIn: string | null;
        };
        FailedTests: {
            /**
             * @description The number of failed tests.
             * @example 1
             */
            count: number;
            /**
             * Format: uuid
             * @description The id of the upload.
             */
            evidenceId: string;
            /**
             * Format: uri
             * @description The URL of the CI run; null if the upload names none.
             */
            runUrl: string | null;
            /** @description The first of them. Tests whose names are not known are left out. */
            tests: components["schemas"]["FailedTest"][];
        };
        /** @description Why the request failed. */
        Failure: {
            /** @description A sentence for users. Its text may change. */
            error: string;
        };
        FirstFailure: {
            /**
             * Format: date
             * @description In UTC.
             * @example 2026-05-02
             */
            day: string;
            /**
             * @description The CI run; null if the upload names none.
             * @example https://github.com/acme/payments/actions/runs/9123456780
             */
            runUrl: string | null;
        };
        FlakyTests: {
            /** @example 1 */
            count: number;
            /**
             * @description The names of the first of them.
             * @example [
             *       "payments › pays › refuses an expired card"
             *     ]
             */
            names: string[];
            /**
             * @description The share of all tests that ran, from 0 to 1; null if none ran.
             * @example 0.01
             */
            rate: number | null;
        };
        FoundCommit: {
            /**
             * Format: uuid
             * @description The id of the release; null if the deployed commit was no release's candidate.
             */
            milestoneId: string | null;
            /** @example acme */
            org: string;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /** @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392 */
            sha: string;
            /** @example v1.4.0 */
            version: string | null;
        };
        FoundProject: {
            /** Format: uuid */
            id: string;
            /** @example Checkout 2026 */
            name: string;
        };
        FoundRelease: {
            /**
             * Format: date-time
             * @description When it was shipped; null if it was not.
             */
            deployedAt: string | null;
            /** Format: uuid */
            milestoneId: string;
            /** @example acme */
            org: string;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /** @enum {string} */
            stage: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
            /** @example v1.4.0 */
            version: string;
        };
        FoundRepository: {
            /** @example acme */
            org: string;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
        };
        FoundUser: {
            /** Format: uri */
            avatarUrl: string | null;
            /** @example ada */
            login: string;
            /** @example Ada Lovelace */
            name: string | null;
            /**
             * @description The user's GitHub id.
             * @example 583231
             */
            userId: number;
        };
        Freeze: {
            /** Format: date-time */
            createdAt: string;
            /**
             * @description The present login of the admin who created it; null if the service does not know the user any more.
             * @example ada
             */
            createdBy: string | null;
            /**
             * Format: date
             * @description The first day, in UTC.
             * @example 2099-12-20
             */
            from: string;
            /** Format: uuid */
            id: string;
            /** @example year end */
            reason: string;
            /**
             * Format: date
             * @description The last day, in UTC; it is included.
             * @example 2099-12-31
             */
            to: string;
        };
        FreezeDays: {
            /**
             * Format: date
             * @description The first day, in UTC.
             * @example 2026-12-20
             */
            from: string;
            /** @example end of the year */
            reason: string;
            /**
             * Format: date
             * @description The last day, in UTC.
             * @example 2027-01-02
             */
            to: string;
        };
        Freezes: {
            /** @description The current and future freezes, earliest first. */
            freezes: components["schemas"]["Freeze"][];
        };
        GateCondition: {
            /**
             * @description The user or role that can meet it.
             * @enum {string}
             */
            actor: "team" | "ci" | "reviewer" | "deployer" | "admin" | "service";
            /**
             * @description A stable code for programs.
             * @example approvals_missing
             * @enum {string}
             */
            code: "not_started" | "scope_empty" | "issue_unowned" | "issue_open" | "no_candidate" | "two_release_branches" | "no_development_branch" | "not_deployed_to_stage" | "soaking" | "check_missing" | "check_pending" | "check_failing" | "check_skipped" | "evidence_missing" | "artifact_missing" | "artifact_ambiguous" | "provenance_missing" | "provenance_invalid" | "evidence_incomplete" | "evidence_failing" | "too_few_tests" | "quality_evidence_missing" | "quality_gate_failing" | "policy_missing" | "policy_invalid" | "policy_unknown" | "evidence_pull_pending" | "evidence_pull_outdated" | "evidence_pull_merged_unapproved" | "evidence_pull_not_merged" | "evidence_pull_closed" | "evidence_pull_altered" | "approvals_missing" | "changes_requested" | "no_reviewer_left" | "not_deployed" | "cancelled" | "milestone_renamed" | "milestone_closed" | "freeze" | "tampered" | "workflows_unknown" | "plan_limit" | "repository_removed" | "not_the_candidate" | "environment_not_named" | "deployment_ended" | "not_ready" | "unknown" | "facts_stale";
            /**
             * @description A sentence for users.
             * @example 1 of 2 approvals given by members of "release-managers".
             */
            detail?: string;
            /**
             * Format: date-time
             * @description When a soak ends. Only an evaluation at that time or later clears the condition.
             */
            endsAt?: string;
            /**
             * @description The document that states the requirement; absent without a default of the organization.
             * @enum {string}
             */
            source?: "organization" | "repository";
            /**
             * Format: uri
             * @description The page where it can be met.
             */
            url?: string;
        };
        GateOverride: {
            /** @description The conditions that would block the release without it. */
            conditions: components["schemas"]["GateCondition"][];
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "waiver" | "break_glass";
            /** @example verified by hand */
            reason?: string;
        };
        GateResult: {
            /** @description True only if every condition is proven to hold now. */
            can_deploy: boolean;
            /** @description The commit that would ship, null if there is none; only with `explain=true`. */
            candidate_sha?: string | null;
            /** @enum {string} */
            current_stage: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
            /**
             * Format: uuid
             * @description The id of the stored decision behind the response; only with `explain=true`.
             */
            decision_id?: string | null;
            evidence_pr_approved: boolean;
            /**
             * Format: date-time
             * @description The time until which the answer stands, at most 20 minutes from now; null if the gate is closed. A change that closes the gate
             *     earlier does so at once; only with `explain=true`.
             */
            open_until?: string | null;
            /** @description The overrides in effect; only with `explain=true`. */
            overrides?: components["schemas"]["GateOverride"][];
            /** @description All conditions that keep the gate closed; only with `explain=true`. */
            reasons?: components["schemas"]["GateCondition"][];
            /**
             * Format: uuid
             * @description The id of the release; only with `explain=true`.
             */
            release_id?: string;
            /**
             * Format: uri
             * @description The page of the release, null if its repository was removed meanwhile; only with `explain=true`.
             * @example https://shipgate.example/w/acme/releases/6f0d1c9a-2b3c-4d5e-8f90-a1b2c3d4e5f6
             */
            release_url?: string | null;
            tests_passing: boolean;
            /** @example v1.4.0 */
            version: string;
        };
        HiddenAuditEntry: {
            /**
             * @description SHA-256 of the entry and the hash before, in lower-case hexadecimal digits.
             * @example 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
             */
            hash: string;
            /** @enum {boolean} */
            hidden: true;
            /**
             * @description The hash of the entry before. 64 zeros for the first entry.
             * @example 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
             */
            previousHash: string;
            /** @description Entries are numbered from 1 without a gap. */
            sequence: number;
        };
        History: {
            /**
             * @description The environments of the whole history, at most 100, each once in any letter case.
             * @example [
             *       "production"
             *     ]
             */
            environments: string[];
            /** @description The records, latest first. */
            history: components["schemas"]["DeploymentRecord"][];
            /** @description Only if the request has `page` or `pageSize`. */
            pagination?: components["schemas"]["PageInfo"];
            /**
             * @description The repositories of the whole history, regardless of the filters and the page.
             * @example [
             *       "acme/payments"
             *     ]
             */
            repositories: string[];
        };
        HoldPolicy: {
            /**
             * @description How long a deployment may wait for the gate.
             * @example 24
             */
            hours: number;
            /**
             * @description What happens to a deployment while the gate is closed.
             * @enum {string}
             */
            whenClosed: "wait" | "reject";
        };
        IgnoredMilestone: {
            /**
             * @description The number of the milestone on GitHub.
             * @example 7
             */
            number: number;
            /**
             * @description Why it is not a release.
             * @example The title is no version: v1.2.3 would be one.
             */
            reason: string;
            /** @example payments */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /** @example Someday */
            title: string;
        };
        InvitePreview: {
            /**
             * @description Whether the user becomes an auditor, too.
             * @example false
             */
            auditor: boolean;
            /**
             * @description The login of its organization.
             * @example acme
             */
            org: string;
            /** @enum {string} */
            role: "member" | "admin";
        };
        IssueCounts: {
            /** @example 14 */
            closed: number;
            /** @example 2 */
            open: number;
        };
        LinkRepository: {
            /**
             * Format: uuid
             * @description The id of a release of this repository. Absent or null links the repository without a release and removes an earlier one.
             * @example 0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b
             */
            milestoneId?: string | null;
        };
        ListedCondition: {
            /**
             * @description The user or role that can meet it.
             * @enum {string}
             */
            actor: "team" | "ci" | "reviewer" | "deployer" | "admin" | "service";
            /**
             * @description A stable code for programs.
             * @example approvals_missing
             * @enum {string}
             */
            code: "not_started" | "scope_empty" | "issue_unowned" | "issue_open" | "no_candidate" | "two_release_branches" | "no_development_branch" | "not_deployed_to_stage" | "soaking" | "check_missing" | "check_pending" | "check_failing" | "check_skipped" | "evidence_missing" | "artifact_missing" | "artifact_ambiguous" | "provenance_missing" | "provenance_invalid" | "evidence_incomplete" | "evidence_failing" | "too_few_tests" | "quality_evidence_missing" | "quality_gate_failing" | "policy_missing" | "policy_invalid" | "policy_unknown" | "evidence_pull_pending" | "evidence_pull_outdated" | "evidence_pull_merged_unapproved" | "evidence_pull_not_merged" | "evidence_pull_closed" | "evidence_pull_altered" | "approvals_missing" | "changes_requested" | "no_reviewer_left" | "not_deployed" | "cancelled" | "milestone_renamed" | "milestone_closed" | "freeze" | "tampered" | "workflows_unknown" | "plan_limit" | "repository_removed" | "not_the_candidate" | "environment_not_named" | "deployment_ended" | "not_ready" | "unknown" | "facts_stale";
            /**
             * @description A sentence for users.
             * @example 1 of 2 approvals given by members of "release-managers".
             */
            detail: string;
            /**
             * Format: date-time
             * @description When a soak ends. Only an evaluation at that time or later clears the condition.
             */
            endsAt?: string;
            /**
             * @description The document that states the requirement; absent without a default of the organization.
             * @enum {string}
             */
            source?: "organization" | "repository";
            /**
             * Format: uri
             * @description The page where it can be met.
             */
            url?: string;
            /**
             * @description The users whom the facts name: the assignees of an open issue, the author of the commit whose check or
             *     evidence fails, or the reviewers. Empty if the facts name none or more of them than a list shows.
             */
            users: components["schemas"]["ReleaseUser"][];
        };
        ListedOverride: {
            /**
             * @description The code of the conditions that a waiver covers; null for break-glass.
             * @enum {string|null}
             */
            condition: "scope_empty" | "issue_unowned" | "issue_open" | "check_missing" | "check_failing" | "check_skipped" | "evidence_failing" | "too_few_tests" | "quality_gate_failing" | "freeze" | null;
            /**
             * @description The login of the user who confirmed it; null while it waits for a confirmation.
             * @example bob
             */
            confirmedBy: string | null;
            /**
             * @description The GitHub id of that user; null while it waits for a confirmation.
             * @example 1024025
             */
            confirmedById: number | null;
            /**
             * @description The details of the conditions of a waiver at the time of the request; null for break-glass.
             * @example [
             *       "The required check \"e2e\" failed."
             *     ]
             */
            details: string[] | null;
            /**
             * Format: date-time
             * @description Until when it can be confirmed and, once it is confirmed, until when it is in effect.
             */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "waiver" | "break_glass";
            /** Format: uuid */
            milestoneId: string;
            /** @example acme */
            org: string;
            /** @example verified by hand */
            reason: string;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /** Format: date-time */
            requestedAt: string;
            /**
             * @description The login of the user who requested it, at that time.
             * @example ada
             */
            requestedBy: string;
            /**
             * @description The GitHub id of that user. Unlike the login it never changes, so it identifies your own requests.
             * @example 583231
             */
            requestedById: number;
            /**
             * @description The candidate that it applies to.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            sha: string;
            /** @description What a waiver covers; null for break-glass. */
            subjects: components["schemas"]["Subject"][] | null;
            /** @example v1.4.0 */
            version: string;
        };
        LocatedRunningArtifact: {
            /** @example sha256:4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e */
            digest: string;
            /** @example production */
            environment: string;
            /**
             * Format: date-time
             * @description When it was stated first, since it was gone last.
             */
            firstSeen: string;
            /**
             * @description Whether it may run: the digest belongs to a shipped release, or a governed deployment of its release to the environment is open. False
             *     also while the policy is not valid or was not read yet. Null if the policy does not require an artifact of this name.
             */
            governed: boolean | null;
            /**
             * Format: date-time
             * @description When it was stated last.
             */
            lastSeen: string;
            /** @example api */
            name: string;
            /** @example acme */
            org: string;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /**
             * Format: date-time
             * @description The time that the last statement gave. It is only shown.
             */
            statedAt: string | null;
        };
        ManagedRepositories: {
            /**
             * @description The maximum number; null means no limit. After a downgrade, more repositories than this can be managed.
             * @example 3
             */
            limit: number | null;
            /**
             * @description The number of managed repositories, including those that you cannot read.
             * @example 2
             */
            used: number;
        };
        Member: {
            /**
             * @description Whether an admin lets the member read the audit log. An admin reads it in any case.
             * @example false
             */
            auditor: boolean;
            /**
             * Format: uri
             * @example https://avatars.githubusercontent.com/u/583231?v=4
             */
            avatarUrl: string;
            /** Format: date-time */
            joinedAt: string;
            /** @example ada */
            login: string;
            /** @example Ada Lovelace */
            name: string | null;
            /** @enum {string} */
            role: "member" | "admin";
            /**
             * @description The numeric id on GitHub.
             * @example 583231
             */
            userId: number;
        };
        MetCondition: {
            /**
             * @description A stable code for programs.
             * @example tests_passed
             * @enum {string}
             */
            code: "started" | "scope_filled" | "issues_owned" | "candidate_found" | "issues_closed" | "soak_completed" | "check_succeeded" | "policy_valid" | "tests_passed" | "evidence_provided" | "quality_gates_hold" | "artifact_accepted" | "approval_not_required" | "evidence_approved" | "deployed";
            /**
             * @description A sentence for users.
             * @example The tests passed: 214 of them.
             */
            detail: string;
        };
        MetStage: {
            /** @description The conditions that fresh facts prove. */
            met: components["schemas"]["MetCondition"][];
            /** @enum {string} */
            stage: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
        };
        NewApiKey: {
            /** Format: date-time */
            createdAt: string;
            /**
             * @description The login of the admin who created it, at that time; `command line` if the operator of the service did.
             * @example ada
             */
            createdBy: string;
            /**
             * Format: date-time
             * @description Null if the key does not expire. An expired key is listed until it is revoked.
             */
            expiresAt: string | null;
            /** Format: uuid */
            id: string;
            /**
             * @description The secret. No later response contains it.
             * @example sgk_4fZq0BxJ9v…
             */
            key: string;
            /**
             * Format: date-time
             * @description To the minute; null if the key was never used.
             */
            lastUsedAt: string | null;
            /** @example Jenkins */
            name: string;
            /**
             * @description The first characters of the secret, to recognize the key.
             * @example sgk_4fZq0B
             */
            prefix: string;
            /**
             * @description The names of the repositories that the key is limited to, without those that you cannot read; absent if it can access every
             *     repository of the workspace.
             * @example [
             *       "payments"
             *     ]
             */
            repos?: string[];
            scopes: ("evidence:write" | "gate:read" | "deployment:write")[];
        };
        NewFinding: {
            /**
             * @description The number of new findings of this rule in this place.
             * @example 1
             */
            count: number;
            /** @example high: sql-injection in src/pay.ts */
            label: string;
            /** @enum {string} */
            severity: "critical" | "high" | "medium" | "low";
        };
        NewFindings: {
            /** @example 1 */
            count: number;
            /** @description The worst of them. */
            findings: components["schemas"]["NewFinding"][];
            /**
             * @description The number of findings that cannot be compared, because their reports do not identify them.
             * @example 0
             */
            unidentified: number;
        };
        NewPersonalKey: {
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description 30 days after its creation. An expired key is listed until it is revoked.
             */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /**
             * @description The secret. No later response contains it.
             * @example sgp_4fZq0BxJ9v…
             */
            key: string;
            /**
             * Format: date-time
             * @description To the minute; null if the key was never used.
             */
            lastUsedAt: string | null;
            /** @example editor on my laptop */
            name: string;
            /**
             * @description The first characters of the secret, to recognize the key.
             * @example sgp_4fZq0B
             */
            prefix: string;
            /** @enum {string} */
            scope: "read" | "write";
        };
        OpenWorkflowUpdate: {
            /**
             * @description A personal access token that may write contents and workflows of the repository. Required if the app lacks
             *     `workflows: write`. It is used for this pull request only and not stored.
             * @example a-personal-access-token
             */
            pat?: string | null;
        };
        OutcomeCounts: {
            all: number;
            /** @description A user has to fix a problem, or deployments are frozen. */
            blocked: number;
            in_progress: number;
            needs_approval: number;
            /** @description The gate is open. */
            ready_to_deploy: number;
        };
        Override: {
            /** @description The conditions that would block the release without it. */
            conditions: components["schemas"]["Condition"][];
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "waiver" | "break_glass";
            /** @example verified by hand */
            reason: string;
        };
        OverrideList: {
            /** @description The overrides, first those that end first. */
            overrides: components["schemas"]["ListedOverride"][];
            pagination: components["schemas"]["PageInfo"];
        };
        PageInfo: {
            page: number;
            /** @description The number of pages. 1 if no item matches. */
            pages: number;
            /** @enum {integer} */
            pageSize: 10 | 25 | 50;
            /** @description The number of all items that match, not only of those on this page. */
            total: number;
        };
        ParsedReport: {
            /** @description The first or worst entries, at most 100. */
            details: components["schemas"]["ReportDetail"][];
            /**
             * @description The failures that the report states.
             * @example []
             */
            failures: string[];
            /** @enum {string} */
            kind: "unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom";
            /**
             * @example {
             *       "unit_tests": {
             *         "total": 3,
             *         "passed": 3,
             *         "failed": 0,
             *         "skipped": 0
             *       }
             *     }
             */
            metrics: {
                [key: string]: unknown;
            };
            /**
             * @description Remarks of the parser. No verdict uses them.
             * @example []
             */
            notes: string[];
        };
        PendingInvite: {
            /**
             * @description Whether the user becomes an auditor, too.
             * @example false
             */
            auditor: boolean;
            /**
             * @description The login of the admin who created it.
             * @example ada
             */
            createdBy: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /**
             * @description The login of the only user who can accept it, at the time of the invite; null for any user with the link.
             * @example grace
             */
            login: string | null;
            /** @enum {string} */
            role: "member" | "admin";
        };
        PendingReview: {
            approvalEffects: components["schemas"]["ApprovalEffects"];
            approvals: components["schemas"]["ApprovalCounts"];
            eligibility: components["schemas"]["ReviewEligibility"];
            /**
             * @description The number of the latest evidence pull request; null if there is none yet.
             * @example 42
             */
            evidencePrNumber: number | null;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/pull/42
             */
            evidencePrUrl: string | null;
            /**
             * @description The number of tests that ran in the last shipped release and do not run now. Null without such a release, until the tests were
             *     compared, if their names are not known, and in the whole list.
             * @example 0
             */
            lostTests: number | null;
            /** Format: uuid */
            milestoneId: string;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/milestone/7
             */
            milestoneUrl: string | null;
            /** @example acme */
            org: string;
            /** @description Null if no valid `sdlc.yaml` is known now. */
            policy: components["schemas"]["ReleaseReviewPolicy"] | null;
            /** @enum {string} */
            policyStatus: "available" | "unknown";
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /**
             * @description The state of the evidence pull request; `closed` means closed without a merge.
             * @enum {string}
             */
            reviewState: "open" | "closed" | "merged" | "unknown";
            /**
             * Format: date-time
             * @description When the release last changed.
             */
            updatedAt: string;
            /** @example v1.4.0 */
            version: string;
            /**
             * Format: date-time
             * @description When the evidence pull request was opened, or when the release last came to wait for approvals if that is later.
             */
            waitingSince: string | null;
        };
        PendingReviews: {
            /** @description Only if the request has `page` or `pageSize`. */
            pagination?: components["schemas"]["PageInfo"];
            /** @description The reviews, last changed first. */
            reviews: components["schemas"]["PendingReview"][];
            /** @description How many of them have an unknown eligibility. Only if the request has `page` or `pageSize`. */
            unknown?: number;
            /**
             * @description The number of pending reviews that the user can see and that match the search, regardless of the scope, the eligibility and the
             *     page. Only if the request has `page` or `pageSize`.
             */
            workspaceTotal?: number;
        };
        PersonalKey: {
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description 30 days after its creation. An expired key is listed until it is revoked.
             */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description To the minute; null if the key was never used.
             */
            lastUsedAt: string | null;
            /** @example editor on my laptop */
            name: string;
            /**
             * @description The first characters of the secret, to recognize the key.
             * @example sgp_4fZq0B
             */
            prefix: string;
            /** @enum {string} */
            scope: "read" | "write";
        };
        PersonalKeys: {
            /** @description The keys, newest first. */
            keys: components["schemas"]["PersonalKey"][];
        };
        PickReleaseChangeDtoScoreCoverage: {
            /**
             * @description The change of line coverage in percentage points; null if one of the two has no coverage.
             * @example 0.25
             */
            coverage: number | null;
            /**
             * @description The change of the score in points; null if one of the two has no score.
             * @example -1.5
             */
            score: number | null;
        };
        PlanningRules: {
            requireIssues: boolean;
            requireIssuesAssigned: boolean;
            sources?: components["schemas"]["PlanningSources"];
        };
        PlanningSources: {
            /** @enum {string} */
            requireIssues?: "organization" | "repository";
            /** @enum {string} */
            requireIssuesAssigned?: "organization" | "repository";
        };
        PlatformUpgradeRequest: {
            /**
             * Format: date-time
             * @description When it was approved, rejected or withdrawn; null while it is open.
             */
            decidedAt: string | null;
            /** Format: uuid */
            id: string;
            /** @example Invoice to purchase order 4711 */
            note: string | null;
            /**
             * @description The login of the workspace's organization.
             * @example acme
             */
            org: string;
            /**
             * @description Null unless it was approved.
             * @example INV-2026-0815
             */
            paymentReference: string | null;
            /**
             * @description Why it was rejected; null unless it was.
             * @example The purchase order is unknown.
             */
            reason: string | null;
            /** Format: date-time */
            requestedAt: string;
            /**
             * @description The login of the admin who created the request.
             * @example ada
             */
            requestedBy: string | null;
            /** @enum {string} */
            status: "open" | "approved" | "rejected" | "withdrawn";
        };
        PolicyCheck: {
            /** @description The reasons if it is invalid, at most 100. */
            problems: components["schemas"]["PolicyProblem"][];
            /** @enum {string} */
            status: "valid" | "invalid" | "missing";
        };
        PolicyFreeze: {
            /**
             * Format: date
             * @description In UTC; both days are included.
             * @example 2026-12-20
             */
            from: string;
            /** @example year end */
            reason: string;
            /**
             * @description The organization's default or the repository's `sdlc.yaml`; absent if the organization has no default.
             * @enum {string}
             */
            source?: "organization" | "repository";
            /**
             * Format: date
             * @example 2027-01-02
             */
            to: string;
        };
        PolicyProblem: {
            /** @example 5 */
            column: number | null;
            /**
             * @description The path of the key; empty if there is none.
             * @example stages.testing.required_chekcs
             */
            key: string;
            /**
             * @description From 1; null if the problem has no position in the file.
             * @example 7
             */
            line: number | null;
            /** @example There is no such key; required_checks is one. */
            message: string;
        };
        PolicyRules: {
            deployment: components["schemas"]["DeploymentRules"];
            development: components["schemas"]["DevelopmentRules"];
            /**
             * @description Events of CI runs that may upload evidence in addition to the safe ones.
             * @example []
             */
            evidenceEvents: string[];
            evidencing: components["schemas"]["EvidencingRules"];
            freezes: components["schemas"]["PolicyFreeze"][];
            /**
             * @description A release is a hotfix only if its branch matches all of them.
             * @example [
             *       "hotfix/**"
             *     ]
             */
            hotfixBranchPatterns: string[];
            /** @example payments */
            name: string | null;
            planning: components["schemas"]["PlanningRules"];
            qualityGates: components["schemas"]["QualityGates"];
            /** @enum {string} */
            releaseNaming: "semver-v-strict" | "semver" | "calver";
            testing: components["schemas"]["TestingRules"];
        };
        PreviousRelease: {
            /** Format: uuid */
            milestoneId: string;
            /** @example v1.4.0 */
            version: string;
        };
        Project: {
            counts: components["schemas"]["ProjectCounts"];
            /** Format: date-time */
            createdAt: string;
            /** @example The new checkout, in the shop and in the apps. */
            description: string | null;
            /** Format: uuid */
            id: string;
            /** @example Checkout 2 */
            name: string;
            /** @example acme */
            org: string;
            /**
             * @description The worst outcome of its active releases, in the order `blocked`, `needs_approval`, `in_progress`, `ready_to_deploy`; null if
             *     none is active. Repositories that the user cannot read do not count.
             * @enum {string|null}
             */
            outcome: "blocked" | "needs_approval" | "ready_to_deploy" | "in_progress" | null;
            /** @description The repositories that the user can read, by name. */
            repos: components["schemas"]["ProjectRepository"][];
            /**
             * Format: date
             * @example 2026-09-30
             */
            targetDate: string | null;
            /**
             * Format: date-time
             * @description When its details or its repositories last changed.
             */
            updatedAt: string;
        };
        ProjectCounts: {
            all: number;
            /** @description A user has to fix a problem, or deployments are frozen. */
            blocked: number;
            in_progress: number;
            needs_approval: number;
            /** @description The gate is open. */
            ready_to_deploy: number;
        };
        ProjectRelease: {
            /** Format: uuid */
            milestoneId: string;
            /**
             * @description Null if the release is shipped or cancelled.
             * @enum {string|null}
             */
            outcome: "blocked" | "needs_approval" | "ready_to_deploy" | "in_progress" | null;
            /** @enum {string} */
            stage: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
            /**
             * Format: date-time
             * @description When the outcome may change with time alone, because a fact expires or a freeze begins or ends. It is in the past if facts have expired.
             *     Null if no verdict is valid, or if the release is shipped or cancelled.
             * @example 2026-05-04T14:32:00.000Z
             */
            validUntil: string | null;
            /** @example v1.4.0 */
            version: string;
        };
        ProjectRepository: {
            /** @description Null if no release is chosen or its milestone was deleted. */
            release: components["schemas"]["ProjectRelease"] | null;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
        };
        Projects: {
            /** @description Only if the request has `page` or `pageSize`. */
            pagination?: components["schemas"]["PageInfo"];
            /** @description The projects, last changed first. */
            projects: components["schemas"]["Project"][];
        };
        ProtectionRule: {
            /**
             * @description Whether administrators may let a deployment run that the rule holds; null if GitHub does not return it.
             * @example false
             */
            adminsMayBypass: boolean | null;
            /**
             * @description The environment of the rule: the target of the policy. Null if the rule was never enabled.
             * @example production
             */
            environment: string | null;
            /**
             * @description `active`: the environment has the rule. `missing`: the rule was taken off. `advisory`: the plan of the organization on GitHub has
             *     no such rules. `unknown`: the rule was never enabled.
             * @example active
             * @enum {string}
             */
            status: "active" | "missing" | "advisory" | "unknown";
        };
        Provenance: {
            /**
             * @description The id of the run at GitHub.
             * @example 8123456789
             */
            runId: string;
            /** @example github-hosted */
            runnerEnvironment: string;
            /** @example acme/payments/.github/workflows/build.yml */
            signerWorkflow: string;
            /** @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392 */
            sourceSha: string;
        };
        PublishedDocument: {
            /** @example .releases/v1.4.0/evidence.json */
            path: string;
            /** @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 */
            sha256: string;
            /** @description Null for a file without a signature. */
            signature: components["schemas"]["DocumentSignature"] | null;
        };
        Quality: {
            choices: components["schemas"]["QualityFilterOptions"];
            /** @description Only if the request has `page` or `pageSize`. */
            pagination?: components["schemas"]["PageInfo"];
            /** @description The releases, most recently received evidence first. */
            results: components["schemas"]["ReleaseGroup"][];
        };
        QualityFilterOptions: {
            /**
             * @example [
             *       "staging"
             *     ]
             */
            environments: string[];
            /**
             * @description Versions, newest first.
             * @example [
             *       "v1.4.0"
             *     ]
             */
            milestones: string[];
            /**
             * @example [
             *       "acme"
             *     ]
             */
            owners: string[];
            /**
             * @description The names without the owner.
             * @example [
             *       "payments"
             *     ]
             */
            repos: string[];
            types: ("unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom")[];
        };
        QualityGates: {
            coverage: components["schemas"]["CoverageGate"];
            sastScan: components["schemas"]["SeverityLimits"];
            security: components["schemas"]["SeverityLimits"];
        };
        QualityResult: {
            /** @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392 */
            commitSha: string;
            /**
             * Format: date-time
             * @description When it was received.
             */
            createdAt: string;
            /** @description Whether the verdict of the release uses it now. A shipped release uses none, because its facts are frozen. */
            decides: boolean;
            /** @example staging */
            environment: string;
            /**
             * Format: uuid
             * @description The id of the upload. Items of one upload share it.
             */
            evidenceId: string;
            /**
             * @description The metrics by kind.
             * @example {
             *       "unit_tests": {
             *         "total": 12,
             *         "passed": 12,
             *         "failed": 0,
             *         "skipped": 0
             *       }
             *     }
             */
            metrics: {
                [key: string]: unknown;
            };
            /** @example build and test */
            pipeline: string;
            /**
             * @description The status of this item alone. `unmeasured`: it has no metrics that could pass.
             * @enum {string}
             */
            status: "passed" | "failed" | "unmeasured";
            /** @enum {string} */
            type: "unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom";
        };
        Readiness: {
            /**
             * Format: date-time
             * @description When it was last evaluated; null if never.
             */
            observedAt: string | null;
            /**
             * @description Only `ready` permits a deployment. `pending`: the evaluation is queued. `unknown`: a fact could not be read. `expired`: the
             *     facts are too old.
             * @enum {string}
             */
            status: "ready" | "not_ready" | "pending" | "unknown" | "expired";
            /**
             * Format: date-time
             * @description When the status ends with time alone, because a fact expires or a freeze begins or ends. It is in the past if the status is
             *     `expired`. Null if no verdict is valid.
             * @example 2026-05-04T14:32:00.000Z
             */
            validUntil: string | null;
        };
        ReasonBody: {
            /** @example The purchase order is unknown. */
            reason: string;
        };
        ReceivedEvidence: {
            /** @example staging */
            environment: string;
            /**
             * @description The first failures that the reports state besides failed tests, such as a file without tests.
             * @example []
             */
            failures: string[];
            /** @enum {string} */
            kind: "unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom";
            /**
             * @description The metrics as verdicts use them, the files of the upload added up. Empty for a kind without metrics.
             * @example {
             *       "unit_tests": {
             *         "total": 3,
             *         "passed": 3,
             *         "failed": 0,
             *         "skipped": 0
             *       }
             *     }
             */
            metrics: {
                [key: string]: unknown;
            };
            /**
             * @description The number of further failures.
             * @example 0
             */
            moreFailures: number;
        };
        RecordedDecision: {
            /** @description Null if the rules have changed since the decision, or if the service cannot derive it again. */
            approvals: components["schemas"]["CountedApprovals"] | null;
            /** Format: date-time */
            at: string;
            /** @description The candidate at that time; null if there was none. */
            candidateSha: string | null;
            /** Format: uuid */
            id: string;
            /** @description Whether the decision opened the gate. */
            open: boolean;
            /** @description The overrides that the decision used. */
            overrides: components["schemas"]["Override"][];
            /** @description SHA-256 over the policy in canonical form; null if no valid policy was known. */
            policyDigest: string | null;
            /** @description The conditions that kept the gate closed. */
            reasons: components["schemas"]["Condition"][];
            /**
             * @description The version of the rules that made the decision: the first version of Shipgate that has them.
             * @example 0.1.0
             */
            rules: string;
            /**
             * @description Whether the rules have changed since. Then only `shipgate verify-pack` of the version in `rules` derives the decision again,
             *     from an audit pack of the release.
             */
            rulesChanged: boolean;
            /**
             * @description SHA-256 over the set of evidence that decided; null without a candidate.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            setDigest: string | null;
            /** @enum {string} */
            stage: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
            /** @description Null if the rules have changed since the decision, or if the service cannot derive it again. */
            stages: components["schemas"]["MetStage"][] | null;
        };
        RecordedEvidence: {
            /** @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392 */
            commitSha: string;
            /** Format: date-time */
            createdAt: string;
            /** @example staging */
            environment: string;
            /** Format: uuid */
            evidenceId: string;
            /** @description The first 50 files, in the order of the upload. */
            files: components["schemas"]["RecordedFile"][];
            /**
             * @description The job that uploaded it: the full name at GitHub if a token proves the job, otherwise the name that the upload states.
             * @example test (2, node 24)
             */
            job: string | null;
            /**
             * @description The metrics of these kinds.
             * @example {
             *       "unit_tests": {
             *         "total": 3,
             *         "passed": 3,
             *         "failed": 0,
             *         "skipped": 0
             *       }
             *     }
             */
            metrics: {
                [key: string]: unknown;
            };
            /**
             * @description The number of further files. The audit pack lists them.
             * @example 0
             */
            moreFiles: number;
            /** @example build and test */
            pipeline: string;
            /** Format: uri */
            runUrl: string | null;
            /**
             * @description Identifies the upload. The files have their own digests.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string;
            /**
             * @description The kinds of evidence of the upload that decided.
             * @example [
             *       "unit_tests"
             *     ]
             */
            types: ("unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom")[];
            /**
             * @description The kind of credential.
             * @enum {string}
             */
            uploadedBy: "api_key" | "identity_token";
        };
        RecordedFile: {
            /** @example junit.xml */
            name: string;
            /** @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 */
            sha256: string;
            /**
             * @description In bytes.
             * @example 2048
             */
            size: number;
        };
        RecordedOverride: {
            /** @description The conditions that would block the release without it. */
            conditions: components["schemas"]["Condition"][];
            /**
             * @description The login of the user who confirmed it.
             * @example bob
             */
            confirmedBy: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "waiver" | "break_glass";
            /** @example verified by hand */
            reason: string;
            /**
             * @description The login of the user who requested it, at that time.
             * @example ada
             */
            requestedBy: string;
        };
        RecordedPull: {
            documents: components["schemas"]["PublishedDocument"][];
            /**
             * @description The commit that Shipgate published in it last.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            headSha: string;
            /** @example 42 */
            number: number;
            /** @description Whether it contains the set of evidence of the decision. */
            ofDecision: boolean;
            /** Format: date-time */
            openedAt: string;
            /**
             * @description SHA-256 over the set of evidence that it contains.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            setDigest: string;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/pull/42
             */
            url: string;
        };
        RecordedRequest: {
            /** Format: date-time */
            confirmedAt: string | null;
            /**
             * @description The login of the user who confirmed it; null if no user did.
             * @example bob
             */
            confirmedBy: string | null;
            /**
             * @description The conditions of a waiver at the time of the request, as sentences; empty for break-glass.
             * @example [
             *       "The required check \"e2e\" failed."
             *     ]
             */
            details: string[];
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "waiver" | "break_glass";
            /** @example verified by hand */
            reason: string;
            /** Format: date-time */
            requestedAt: string;
            /**
             * @description The login of the user who requested it, at that time.
             * @example ada
             */
            requestedBy: string;
            /**
             * @description The commit that it applies to.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            sha: string;
            /** @description Whether the decision used it. */
            used: boolean;
            /** Format: date-time */
            withdrawnAt: string | null;
        };
        RefreshStarted: {
            /** Format: uuid */
            milestoneId: string;
            /** @enum {string} */
            status: "running";
        };
        RefreshStatus: {
            /**
             * @description Why it was not; null if it was.
             * @example null
             */
            reason: string | null;
            /** @enum {string} */
            status: "verified" | "unknown";
        };
        Release: {
            /** @description The first conditions that keep its gate closed, blocking ones before those that are only not met yet. */
            blockers: components["schemas"]["ListedCondition"][];
            /**
             * Format: date-time
             * @description When it was cancelled; null if it was not.
             */
            cancelledAt: string | null;
            /**
             * @description The commit that would ship; null if there is none yet.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            candidateSha: string | null;
            /**
             * Format: uri
             * @description Null if there is no candidate yet.
             * @example https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            candidateUrl: string | null;
            /**
             * Format: date-time
             * @description When it was shipped; null if it was not.
             */
            deployedAt: string | null;
            /** @description The freeze of the workspace in which the due day of an active release lies; null if there is none or the day is over. */
            dueFreeze: components["schemas"]["FreezeDays"] | null;
            /** Format: date-time */
            dueOn: string | null;
            /**
             * @description The number of the latest evidence pull request; null if there is none yet.
             * @example 42
             */
            evidencePrNumber: number | null;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/pull/42
             */
            evidencePrUrl: string | null;
            /** @description The due day, in UTC, is over, and the release is neither shipped nor cancelled. */
            isOverdue: boolean;
            /** @description Null until the issues were read. */
            issues: components["schemas"]["IssueCounts"] | null;
            /** Format: uuid */
            milestoneId: string;
            /** @example 7 */
            milestoneNumber: number;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/milestone/7
             */
            milestoneUrl: string;
            /**
             * @description The number of further conditions.
             * @example 0
             */
            moreBlockers: number;
            /** @example acme */
            org: string;
            /**
             * @description Null if the release is shipped or cancelled.
             * @enum {string|null}
             */
            outcome: "blocked" | "needs_approval" | "ready_to_deploy" | "in_progress" | null;
            readiness: components["schemas"]["Readiness"];
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /**
             * Format: uri
             * @example https://github.com/acme/payments
             */
            repoUrl: string;
            /** @enum {string} */
            stage: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
            /**
             * @description The current title of the milestone. It differs from the version if a user renamed the milestone.
             * @example v1.4.0
             */
            title: string;
            /**
             * Format: date-time
             * @description When the release last changed.
             */
            updatedAt: string;
            /** @example v1.4.0 */
            version: string;
        };
        ReleaseApprovals: {
            eligible: components["schemas"]["EligibleReviewers"];
            /**
             * @description The number of approvals that count.
             * @example 1
             */
            given: number;
            /**
             * Format: date-time
             * @description When it was last read; null if it was never read.
             */
            observedAt: string | null;
            /**
             * @description Why it is unknown; null if it is current.
             * @example null
             */
            reason: string | null;
            /**
             * @description The number that the policy requires; 0 if it requires none, null if the policy is not known or the release is shipped.
             * @example 2
             */
            required: number | null;
            /** @description The last review of each user, newest first. Comments and reviews of deleted accounts are left out. */
            reviews: components["schemas"]["EvidenceReview"][];
            /**
             * @description `unknown` if it was never read or the last read is too old.
             * @enum {string}
             */
            status: "current" | "unknown";
        };
        ReleaseChange: {
            against: components["schemas"]["PreviousRelease"];
            /**
             * @description The change of line coverage in percentage points; null if one of the two has no coverage.
             * @example 0.25
             */
            coverage: number | null;
            /**
             * @description The change of the score in points; null if one of the two has no score.
             * @example -1.5
             */
            score: number | null;
            /** @description Null if the names of their tests are not known or not compared yet. */
            tests: components["schemas"]["TestChange"] | null;
        };
        ReleaseChecks: {
            /**
             * @description The candidate; null if there is none yet.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitSha: string | null;
            /**
             * Format: date-time
             * @description When it was last read; null if it was never read.
             */
            observedAt: string | null;
            /**
             * @description Why it is unknown; null if it is current.
             * @example null
             */
            reason: string | null;
            reported: components["schemas"]["ReportedCheck"][];
            /**
             * @description `unknown` if it was never read or the last read is too old.
             * @enum {string}
             */
            status: "current" | "unknown";
        };
        ReleaseCondition: {
            /**
             * @description The user or role that can meet it.
             * @enum {string}
             */
            actor: "team" | "ci" | "reviewer" | "deployer" | "admin" | "service";
            /** @description Whether it keeps the gate closed now. Then it is one of `reasons`. */
            closesGate: boolean;
            /**
             * @description A stable code for programs.
             * @example approvals_missing
             * @enum {string}
             */
            code: "not_started" | "scope_empty" | "issue_unowned" | "issue_open" | "no_candidate" | "two_release_branches" | "no_development_branch" | "not_deployed_to_stage" | "soaking" | "check_missing" | "check_pending" | "check_failing" | "check_skipped" | "evidence_missing" | "artifact_missing" | "artifact_ambiguous" | "provenance_missing" | "provenance_invalid" | "evidence_incomplete" | "evidence_failing" | "too_few_tests" | "quality_evidence_missing" | "quality_gate_failing" | "policy_missing" | "policy_invalid" | "policy_unknown" | "evidence_pull_pending" | "evidence_pull_outdated" | "evidence_pull_merged_unapproved" | "evidence_pull_not_merged" | "evidence_pull_closed" | "evidence_pull_altered" | "approvals_missing" | "changes_requested" | "no_reviewer_left" | "not_deployed" | "cancelled" | "milestone_renamed" | "milestone_closed" | "freeze" | "tampered" | "workflows_unknown" | "plan_limit" | "repository_removed" | "not_the_candidate" | "environment_not_named" | "deployment_ended" | "not_ready" | "unknown" | "facts_stale";
            /**
             * @description A sentence for users.
             * @example 1 of 2 approvals given by members of "release-managers".
             */
            detail: string;
            /**
             * Format: date-time
             * @description When a soak ends. Only an evaluation at that time or later clears the condition.
             */
            endsAt?: string;
            /** @description The failed tests that it is about; null if it is about something else. */
            failedTests: components["schemas"]["FailedTests"] | null;
            /**
             * @description What two admins can decide: `waiver`, or break-glass, which covers these conditions too; `break_glass` alone; or `none`. It is
             *     `none` for all conditions of a release that is shipped or cancelled or has no candidate.
             * @enum {string}
             */
            override: "waiver" | "break_glass" | "none";
            /**
             * @description The document that states the requirement; absent without a default of the organization.
             * @enum {string}
             */
            source?: "organization" | "repository";
            /** @description What is not met: the failed tests, findings, runs of checks, issues or freezes. A waiver covers these and no others. */
            subjects: components["schemas"]["Subject"][];
            /**
             * Format: uri
             * @description The page where it can be met.
             */
            url?: string;
        };
        ReleaseDeployment: {
            /** @description Whether the gate was open when the start was reported; null if no start was reported. */
            canDeploy: boolean | null;
            /** @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392 */
            commitSha: string;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitUrl: string;
            /** @example production */
            environment: string;
            /**
             * @description Identifies it in this list.
             * @example github:1234567
             */
            id: string;
            /**
             * @description The name of the API key that reported it; null for every other source.
             * @example Jenkins
             */
            keyName: string | null;
            /**
             * @description The kind in the history; null if the history has no record of it.
             * @enum {string|null}
             */
            kind: "release" | "hotfix" | "rollback" | "ungoverned" | null;
            /**
             * Format: uri
             * @description The page of the run; null if it is not known.
             */
            runUrl: string | null;
            /** @enum {string} */
            source: "github" | "run" | "api_key" | "manual";
            /**
             * Format: date-time
             * @description When it began; for a deployment of which only the end was reported, when that report arrived.
             */
            startedAt: string;
            /**
             * @description `inactive`: it succeeded, and GitHub ended it. `unknown`: no end is known after 24 hours.
             * @enum {string}
             */
            status: "started" | "succeeded" | "failed" | "cancelled" | "inactive" | "unknown";
            /**
             * Format: date-time
             * @description When it succeeded first; null if it never did.
             */
            succeededAt: string | null;
        };
        ReleaseDeployments: {
            /** @description The deployments, latest first. */
            deployments: components["schemas"]["ReleaseDeployment"][];
            pagination: components["schemas"]["PageInfo"];
        };
        ReleaseDetails: {
            approvals: components["schemas"]["ReleaseApprovals"];
            checks: components["schemas"]["ReleaseChecks"];
            /** @description The environments that the policy names, in the order of their stages; empty if no valid policy is known. */
            environments: components["schemas"]["ReleaseEnvironment"][];
            /** @description The items that the verdict uses and the newest 200 of the others; newest first. */
            evidence: components["schemas"]["EvidenceItem"][];
            /**
             * @description The number of older items that are not listed. The verdict uses none of them.
             * @example 0
             */
            moreEvidence: number;
            /** @description The overrides in effect, with the conditions that they cover. */
            overrides: components["schemas"]["Override"][];
            policy: components["schemas"]["ReleasePolicy"];
            /** @description The conditions that keep the gate closed now; empty if it is open. */
            reasons: components["schemas"]["ReleaseCondition"][];
            release: components["schemas"]["Release"];
            scope: components["schemas"]["ReleaseScope"];
            /** @description All six stages, in order. */
            stages: components["schemas"]["StageDetails"][];
            /** @description All changes of stage, oldest first. */
            transitions: components["schemas"]["StageTransition"][];
            verification: components["schemas"]["RefreshStatus"];
            viewer: components["schemas"]["ReleaseViewer"];
            /** @description Conditions that do not block the release. */
            warnings: components["schemas"]["ReleaseCondition"][];
        };
        ReleaseEnvironment: {
            /**
             * @description The deployed commit; null if no deployment is known, and if the latest one has ended.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitSha: string | null;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitUrl: string | null;
            /** @description Whether the deployed commit is the candidate or an equivalent commit. */
            isCandidate: boolean;
            /**
             * @description The kind of the last deployment of the commit in the history; null if the history has none.
             * @enum {string|null}
             */
            kind: "release" | "hotfix" | "rollback" | "ungoverned" | null;
            /**
             * Format: uuid
             * @description The id of the release of the commit; null if there is none.
             */
            milestoneId: string | null;
            /** @example staging */
            name: string;
            /** @enum {string} */
            role: "development" | "testing" | "deployment";
            /**
             * Format: uri
             * @description The page of the run; null if it is not known.
             */
            runUrl: string | null;
            /**
             * Format: date-time
             * @description When the deployment succeeded: by the clock of GitHub, or when its report arrived.
             */
            since: string | null;
            /**
             * Format: date-time
             * @description When the soak ends if nothing else is deployed; null unless the state is `soaking`.
             */
            soakEndsAt: string | null;
            /**
             * @description How long the candidate must stay there, in seconds; null without a soak, and for a shipped release.
             * @example 3600
             */
            soakSeconds: number | null;
            /** @enum {string|null} */
            source: "github" | "run" | "api_key" | "manual" | null;
            /**
             * @description `soaked` stays after other deployments. `deploying` and `failed` are about the newest deployment. `unknown`: the stored facts
             *     do not tell it.
             * @enum {string}
             */
            state: "not_deployed" | "deploying" | "failed" | "deployed" | "soaking" | "soaked" | "unknown";
            /** @example v1.4.0 */
            version: string | null;
        };
        ReleaseGroup: {
            /** @description Null if no release of the repository was shipped before. */
            change: components["schemas"]["ReleaseChange"] | null;
            /**
             * @description Whether its tests were compared by name. `pending`: the comparison is queued. `unknown`: no comparison is possible.
             * @enum {string}
             */
            comparison: "known" | "pending" | "unknown";
            /**
             * @description The scores with which the releases of the repository shipped before this one, in the order of their deployments; null for one without a
             *     score. Only if the request has `page` or `pageSize`.
             * @example [
             *       88.5,
             *       null,
             *       92.4
             *     ]
             */
            earlierScores?: (number | null)[];
            /** @description Tests of the candidate that failed and passed at the same commit; null unless `comparison` is `known`. */
            flaky: components["schemas"]["FlakyTests"] | null;
            /** Format: uuid */
            milestoneId: string;
            /**
             * @description The number of further results.
             * @example 0
             */
            moreResults: number;
            /** @example acme */
            org: string;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /** @description The items that the verdict uses and up to 200 others, newest first. Empty if the request has `results=none`. */
            results: components["schemas"]["QualityResult"][];
            scorecard: components["schemas"]["Scorecard"];
            /** @enum {string} */
            stage: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
            /** @example v1.4.0 */
            version: string;
        };
        ReleaseList: {
            /** @description The releases, newest version first by precedence. Shipped and cancelled ones are included. */
            milestones: components["schemas"]["Release"][];
            /** @description Only if the request has `page` or `pageSize`. */
            pagination?: components["schemas"]["PageInfo"];
        };
        ReleasePolicy: {
            /** @description SHA-256 over the rules in canonical form; null if no valid rules are known. */
            digest: string | null;
            /**
             * Format: date-time
             * @description When it was last read; null if it was never read.
             */
            observedAt: string | null;
            /**
             * @description The keys that the organization's default states; null if it has none, or if no valid rules are known.
             * @example [
             *       "stages.deployment.target"
             *     ]
             */
            organizationKeys: string[] | null;
            /**
             * @description Why it is unknown; null if it is current.
             * @example null
             */
            reason: string | null;
            /** @description Null if no valid rules are known. */
            rules: components["schemas"]["PolicyRules"] | null;
            /**
             * @description Whether there is a valid `sdlc.yaml`; null where it was never read.
             * @enum {string|null}
             */
            state: "valid" | "invalid" | "missing" | null;
            /**
             * @description `unknown` if it was never read or the last read is too old.
             * @enum {string}
             */
            status: "current" | "unknown";
        };
        ReleaseResolution: {
            /**
             * @description The reason, as a sentence for users.
             * @example "refs/heads/main" is the development branch, and one open release is built from it.
             */
            because: string;
            /**
             * @description The versions that the run may build, newest first; only if `version` is null. Empty if it builds no release.
             * @example [
             *       "v1.5.0",
             *       "v1.4.0"
             *     ]
             */
            candidates?: string[];
            /**
             * @description Null if the run builds no release, or if it is not clear which one.
             * @example v1.4.0
             */
            version: string | null;
        };
        ReleaseReviewDetail: {
            approvalEffects: components["schemas"]["ApprovalEffects"];
            eligibility: components["schemas"]["ReviewEligibility"];
            /**
             * @description The number of the latest evidence pull request; null if there is none yet.
             * @example 42
             */
            evidencePrNumber: number | null;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/pull/42
             */
            evidencePrUrl: string | null;
            /** Format: uuid */
            milestoneId: string;
            /** @example acme */
            org: string;
            /** @description Null if no valid `sdlc.yaml` is known now. */
            policy: components["schemas"]["ReleaseReviewPolicy"] | null;
            /** @enum {string} */
            policyStatus: "available" | "unknown";
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /**
             * @description The state of the evidence pull request; `closed` means closed without a merge.
             * @enum {string}
             */
            reviewState: "open" | "closed" | "merged" | "unknown";
            /** @example v1.4.0 */
            version: string;
        };
        ReleaseReviewPolicy: {
            /** @example production */
            deploymentTarget: string;
            /** @example 2 */
            minApprovals: number;
            /** @enum {string} */
            promotion: "manual" | "auto";
            /** @description False if a release may be deployed without an approval of its evidence. */
            requiresEvidenceApproval: boolean;
            /**
             * @description The slugs of the teams whose members may approve; if empty, every user with write access may.
             * @example [
             *       "release-managers"
             *     ]
             */
            teams: string[];
        };
        ReleaseScope: {
            issues: components["schemas"]["ScopeIssue"][];
            /**
             * Format: date-time
             * @description When it was last read; null if it was never read.
             */
            observedAt: string | null;
            /**
             * @description Why it is unknown; null if it is current.
             * @example null
             */
            reason: string | null;
            /**
             * @description `unknown` if it was never read or the last read is too old.
             * @enum {string}
             */
            status: "current" | "unknown";
        };
        ReleaseUser: {
            /**
             * Format: uri
             * @description Null if it is not known, for example because the user never signed in to Shipgate.
             * @example https://avatars.githubusercontent.com/u/583231?v=4
             */
            avatarUrl: string | null;
            /** @example ada */
            login: string;
        };
        ReleaseViewer: {
            /**
             * @description `no` without the triage permission, and for a shipped release.
             * @enum {string}
             */
            canChangeScope: "yes" | "no" | "unknown";
            eligibility: components["schemas"]["ReviewEligibility"];
            /**
             * @description The user's permission in the repository; of a custom role its base permission. `unknown` if it was not read lately.
             * @enum {string}
             */
            permission: "read" | "triage" | "write" | "maintain" | "admin" | "unknown";
        };
        Replay: {
            /**
             * @description Whether the rules derive the same verdict from the same inputs. Null if the rules have changed since the decision: then
             *     `shipgate verify-pack` of the version in `rules` derives it again from an audit pack.
             */
            agrees: boolean | null;
            /**
             * @description The parts of the verdict that differ; `inputs` if no verdict can be derived from them any more.
             * @example []
             */
            differences: string[];
            /**
             * @description The version of the rules that made the decision: the first version of Shipgate that has them.
             * @example 0.1.0
             */
            rules: string;
            /**
             * @description The verdict by the present rules; null if none can be derived, or if other rules made the decision.
             * @example {
             *       "stage": "EVIDENCING"
             *     }
             */
            verdict: {
                [key: string]: unknown;
            } | null;
        };
        ReportDeployment: {
            /**
             * Format: date-time
             * @description When it happened, with an offset from UTC. It is only shown. The time at which the report arrives counts.
             * @example 2026-05-06T18:00:00Z
             */
            at?: string;
            /**
             * @description The deployed commit.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commit_sha?: string;
            /**
             * @description Your own id of the deployment. All reports with this id in this environment are about one deployment.
             * @example jenkins-payments-412
             */
            deployment: string;
            /**
             * @description The digest of a deployed artifact.
             * @example sha256:9f86d0819f86d0819f86d0819f86d0819f86d0819f86d0819f86d0819f86d081
             */
            digest?: string;
            /**
             * @description The environment, ignoring case.
             * @example production
             */
            environment: string;
            /**
             * @description The repository, as `name` or `owner/name`.
             * @example acme/payments
             */
            repo: string;
            /**
             * Format: uri
             * @description The page of the run that deploys. An identity token proves its run.
             * @example https://jenkins.example/job/payments/412/
             */
            run_url?: string;
            /**
             * @description `started` before the deployment. Every other status ends it.
             * @enum {string}
             */
            status: "started" | "succeeded" | "failed" | "cancelled";
            /**
             * @description The version of the release, exactly as in the title of its milestone. Its commit is the candidate.
             * @example v1.4.0
             */
            version?: string;
        };
        ReportDetail: {
            /** @example src/pay.spec.ts */
            location: string | null;
            /** @example expected 201, got 500 */
            message: string;
            /** @example pays by card */
            title: string;
        };
        ReportedCheck: {
            /**
             * @description The slug of the app that reported it; null for a commit status.
             * @example github-actions
             */
            app: string | null;
            /** @example build */
            name: string;
            /**
             * @description `skipped` is a check that was skipped or ended neutral. It proves nothing.
             * @enum {string}
             */
            state: "success" | "failure" | "pending" | "skipped";
            /** Format: uri */
            url: string | null;
        };
        ReportedDeployment: {
            /** @description Whether the gate of the environment was open when it started; null if no start was reported. */
            canDeploy: boolean | null;
            /** @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392 */
            commitSha: string;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitUrl: string;
            /**
             * Format: uuid
             * @description The decision by which the gate was answered when it started; null if there is none.
             */
            decisionId: string | null;
            /**
             * @description The id that the CI system chose.
             * @example jenkins-payments-412
             */
            deployment: string;
            /**
             * Format: date-time
             * @description When the end arrived; null if none was reported.
             */
            endedAt: string | null;
            /** @example production */
            environment: string;
            /** Format: uuid */
            id: string;
            /**
             * @description The name of the API key; null for a run.
             * @example Jenkins
             */
            keyName: string | null;
            /**
             * @description The kind in the history; null if the history has no record of it.
             * @enum {string|null}
             */
            kind: "release" | "hotfix" | "rollback" | "ungoverned" | null;
            /**
             * Format: uuid
             * @description The id of the release; null if the commit was no release's candidate.
             */
            milestoneId: string | null;
            /** @example acme */
            org: string;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /**
             * @description Who sent the first report.
             * @enum {string}
             */
            reportedBy: "run" | "api_key";
            /**
             * Format: uri
             * @description The page of the run; null if no report names it.
             */
            runUrl: string | null;
            /**
             * Format: date-time
             * @description When the start arrived; null if only the end was reported.
             */
            startedAt: string | null;
            /**
             * Format: date-time
             * @description The time that the last report stated. The service uses only the times of arrival.
             */
            statedAt: string | null;
            /**
             * @description `unknown`: no end was reported within 24 hours, or ten later deployments to the environment have started.
             * @enum {string}
             */
            status: "started" | "succeeded" | "failed" | "cancelled" | "unknown";
            /** @example v1.4.0 */
            version: string | null;
        };
        ReportedDeployments: {
            /** @description The deployments, latest first. */
            deployments: components["schemas"]["ReportedDeployment"][];
            pagination: components["schemas"]["PageInfo"];
        };
        ReportedGate: {
            /**
             * @description Whether the deployment may run. For `started`: the gate was open when the start was reported first, is open now, and the deployment has
             *     not ended.
             */
            can_deploy: boolean;
            /** @description All conditions that keep the gate closed. */
            reasons: components["schemas"]["GateCondition"][];
        };
        ReportReceipt: {
            /**
             * @description The candidate of the release now; null if it has none, and while it is not known.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            candidateSha: string | null;
            /**
             * @description The commit of the evidence.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commitSha: string;
            /**
             * @description The source of that commit: the identity token, or the upload. An upload with an API key that states none gets the candidate, or else
             *     the head of the development branch.
             * @enum {string}
             */
            commitSource: "token" | "stated" | "candidate" | "branch_head";
            /**
             * @description `decides`: the verdict of the release rests on the upload. `not_the_candidate`: its commit is not the candidate, or that is not known.
             *     `superseded`: it is evidence of the candidate, and the verdict rests on other evidence. `unknown_commit`: GitHub has no such commit.
             * @enum {string}
             */
            effect: "decides" | "not_the_candidate" | "superseded" | "unknown_commit";
            /** Format: uuid */
            evidenceId: string;
            /**
             * @description What the upload means for the release now, in one sentence.
             * @example Evidence received for v1.4.0 at 4f1c2d9; it counts at the candidate.
             */
            message: string;
            /** @description What the service found in the upload, one for each kind of evidence. */
            pieces: components["schemas"]["ReceivedEvidence"][];
            /**
             * Format: uri
             * @description The page of the release.
             * @example https://shipgate.example/w/acme/releases/6f0d1c9a
             */
            releaseUrl: string;
            /** @description In the order of the upload. */
            reports: components["schemas"]["StoredReport"][];
        };
        ReportUpload: {
            /**
             * @description The tested commit. The commit of an identity token has priority.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            commit_sha?: string;
            /**
             * @description The environment that was tested.
             * @default ci
             * @example staging
             */
            environment: string;
            /** @description The report files, each in a part of this name with a filename; at most 10 MB, unless the operator has set another limit. */
            file?: string[];
            /**
             * @description The expected format of every file. The upload is rejected if a file has another one.
             * @example junit
             */
            format?: string;
            /**
             * @description The job of the run with its matrix values. A later attempt of the same job replaces the evidence of an earlier one. Not needed
             *     with an identity token, because GitHub names the job.
             * @example test (2/4)
             */
            job?: string;
            /**
             * @description The group of jobs that upload together, if no identity token proves the job. Needs `job` and `job_total`.
             * @example unit tests
             */
            job_group?: string;
            /** @description The number of jobs in the group. The evidence is incomplete until all of them have uploaded. */
            job_total?: number;
            /**
             * @description The kind of evidence. Needed only if neither the metrics nor the files contain it.
             * @enum {string}
             */
            kind?: "unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom";
            /** @description Metrics by kind, such as `{"unit_tests": {"total": 12, "passed": 12, "failed": 0, "skipped": 0}}`. Unknown members are stored. At most 10,000 values in 256 KB. */
            metrics?: {
                [key: string]: unknown;
            };
            /**
             * @description If present, it must be the organization of the credential.
             * @example acme
             */
            org?: string;
            /**
             * @description The display name of the pipeline.
             * @example build and test
             */
            pipeline: string;
            /**
             * @description The repository, as `name` or `owner/name`.
             * @example acme/payments
             */
            repo: string;
            /** @description Documents by name: a string is stored as HTML, other values as JSON. No verdict uses them. At most 500 including files; names of 1 to 255 characters. */
            reports?: {
                [key: string]: unknown;
            };
            /**
             * @description The attempt of the job in its run, from 1. The attempt of an identity token has priority.
             * @default 1
             */
            run_attempt: number;
            /**
             * Format: uri
             * @description The URL of the CI run. Without an identity token it also identifies the run.
             */
            run_url?: string;
            /**
             * @description The version of the release: the exact title of its milestone.
             * @example v1.4.0
             */
            version: string;
        };
        Repository: {
            /** @example main */
            defaultBranch: string;
            /** @example acme/payments */
            fullName: string;
            /** Format: uuid */
            id: string;
            integrity: components["schemas"]["RepositoryIntegrity"];
            /**
             * Format: date-time
             * @description The time of the last complete sync; null if there was none.
             */
            lastSyncedAt: string | null;
            /** @description Whether it is a managed repository, which counts against the plan's limit. */
            managed: boolean;
            /** @example payments */
            name: string;
            /** @example acme */
            org: string;
            private: boolean;
            protection: components["schemas"]["RepositoryProtection"];
            setup: components["schemas"]["RepositorySetup"];
            /**
             * @description `REMOVED`: it was deleted, or the app cannot access it any more.
             * @enum {string}
             */
            setupState: "NOT_STARTED" | "PR_OPEN" | "MERGED" | "PROTECTION_PENDING" | "PROTECTION_FAILED" | "COMPLETE" | "LEGACY" | "SUSPENDED" | "REMOVED";
            /**
             * Format: uri
             * @example https://github.com/acme/payments
             */
            url: string;
            workflow: components["schemas"]["RepositoryWorkflow"];
        };
        RepositoryEnvironments: {
            /** @description In the order of their stages. */
            environments: components["schemas"]["Environment"][];
            /** @example acme */
            org: string;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
        };
        RepositoryGroup: {
            /** @example acme */
            org: string;
            /** @description By name. */
            repos: components["schemas"]["Repository"][];
        };
        RepositoryIntegrity: {
            files: components["schemas"]["ChangedFile"][];
            /**
             * Format: uri
             * @description The URL of the issue about the first changed file; null if there is none.
             */
            issueUrl: string | null;
            /**
             * Format: date-time
             * @description When the first change was found; null if there is none.
             */
            since: string | null;
            /**
             * @description `unwatched`: no managed file was seen in the repository yet.
             * @enum {string}
             */
            status: "intact" | "tampered" | "unwatched";
        };
        RepositoryList: {
            counts: components["schemas"]["SetupStateCounts"];
            groups: components["schemas"]["RepositoryGroup"][];
            pagination: components["schemas"]["PageInfo"];
        };
        RepositoryProtection: {
            /** @description The problem and the next step; null if there is no problem. */
            detail: string | null;
            /**
             * @description `advisory`: the repository's plan on GitHub has no rulesets.
             * @enum {string}
             */
            status: "unknown" | "pending" | "active" | "drifted" | "failed" | "advisory";
            /**
             * @description Whether `configure-rulesets` needs a `pat`, because the app may not administer the repository and no token for it is
             *     stored.
             */
            tokenNeeded: boolean;
        };
        RepositorySetup: {
            /**
             * @description The number of the pull request; null if there is none, or if it was closed without a merge.
             * @example 12
             */
            prNumber: number | null;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/pull/12
             */
            prUrl: string | null;
            /** @description Whether `bootstrap` and `workflow-update-pr` need a `pat`, because the app may not write workflow files. */
            tokenNeeded: boolean;
        };
        RepositorySync: {
            /**
             * @description Why it failed; null otherwise.
             * @example GET /repos/acme/payments/milestones: 502
             */
            detail: string | null;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** Format: uuid */
            repoId: string;
            /** @enum {string} */
            status: "never" | "waiting" | "done" | "failed";
        };
        RepositoryWarning: {
            /**
             * @description `installation_removed`, `installation_suspended`: the app cannot access the organization. `ambiguous_name`: two
             *     repositories have the same name. `policy_missing`, `policy_invalid`, `policy_unknown`: `sdlc.yaml` does not exist, is not
             *     valid, or was not read for 20 minutes. `plan_limit`: the plan's limit of managed repositories is reached.
             *     `actions_not_readable`: an owner of the organization has not granted the app access to Actions, so the jobs of CI runs
             *     are unknown. `tampered`: managed workflow files were changed. `protection_drifted`, `protection_failed`,
             *     `protection_advisory`: the rulesets are weaker than the policy requires, could not be configured, or are not available
             *     on the repository's plan. `rule_missing`: the protection rule was taken off the environment. `admins_may_bypass`:
             *     administrators may let deployments run that the protection rule holds.
             * @example policy_invalid
             * @enum {string}
             */
            code: "installation_removed" | "installation_suspended" | "ambiguous_name" | "policy_missing" | "policy_invalid" | "policy_unknown" | "plan_limit" | "actions_not_readable" | "tampered" | "protection_drifted" | "protection_failed" | "protection_advisory" | "rule_missing" | "admins_may_bypass";
            /**
             * @description The problem, with line and key if it is in `sdlc.yaml`, and the next step.
             * @example sdlc.yaml, line 7: stages.testing.min_test: is not known; did you mean min_tests?
             */
            detail: string;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /**
             * Format: uuid
             * @example 6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b
             */
            repoId: string;
            /**
             * Format: date-time
             * @description When the problem was first observed; null if it is not known.
             * @example 2026-03-02T09:30:00.000Z
             */
            since: string | null;
        };
        RepositoryWarningList: {
            warnings: components["schemas"]["RepositoryWarning"][];
        };
        RepositoryWorkflow: {
            /** @example 91c07e5a2b6d4f38 */
            installedRevision: string | null;
            /** @description The number of the open pull request of the update; null if there is none. */
            prNumber: number | null;
            /** Format: uri */
            prUrl: string | null;
            /**
             * @description Null if Shipgate installed none.
             * @enum {string|null}
             */
            status: "UP_TO_DATE" | "UPDATE_AVAILABLE" | "PR_OPEN" | null;
            /** @example 4be2c1d09f37a865 */
            targetRevision: string;
        };
        RequiredArtifact: {
            /**
             * @description The kind of the runner that must have built it.
             * @enum {string}
             */
            builder: "github-hosted" | "self-hosted" | "any";
            /** @example api */
            name: string;
            /** @description Whether a verified provenance is required. Otherwise the statement of a run is sufficient. */
            provenance: boolean;
            /**
             * @description The workflow that must have signed; null for any.
             * @example acme/payments/.github/workflows/build.yml
             */
            signerWorkflow: string | null;
            /**
             * @description The organization's default or the repository's `sdlc.yaml`; absent if the organization has no default.
             * @enum {string}
             */
            source?: "organization" | "repository";
        };
        RequiredCheck: {
            /** @description Whether a check that was skipped or ended neutral counts as met. */
            allowSkipped: boolean;
            /**
             * @description The slug of the app that must report it; null accepts any app and also a commit status.
             * @example github-actions
             */
            app: string | null;
            /** @example build */
            name: string;
            /**
             * @description The organization's default or the repository's `sdlc.yaml`; absent if the organization has no default.
             * @enum {string}
             */
            source?: "organization" | "repository";
        };
        RequiredEvidence: {
            /**
             * @description Present if only runs count that began after the deployment to the environment of TESTING.
             * @enum {boolean}
             */
            afterDeployment?: true;
            /**
             * @description Null accepts any environment.
             * @example staging
             */
            environment: string | null;
            /** @enum {string} */
            kind: "unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom";
            /**
             * @description The minimum number of passed tests; 0 for kinds without tests.
             * @example 1
             */
            minTests: number;
            /**
             * @description The organization's default or the repository's `sdlc.yaml`; absent if the organization has no default.
             * @enum {string}
             */
            source?: "organization" | "repository";
        };
        ReviewBrief: {
            /**
             * @description Null if there is none yet.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            candidateSha: string | null;
            /** @description The change of score and coverage; null if no release was shipped before. */
            change: components["schemas"]["PickReleaseChangeDtoScoreCoverage"] | null;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/pull/42
             */
            evidencePrUrl: string | null;
            /** Format: uuid */
            milestoneId: string;
            /** @description Null if no scan of the same kind exists of both releases. */
            newFindings: components["schemas"]["NewFindings"] | null;
            /** @example acme */
            org: string;
            /** @description The overrides in effect, with the conditions that they cover. */
            overrides: components["schemas"]["Override"][];
            /** @description The last review of the user who asks; null if there is none. */
            ownReview: components["schemas"]["EvidenceReview"] | null;
            /**
             * @description The name of the repository without its owner.
             * @example payments
             */
            repo: string;
            /** @description Null if no release of the repository was shipped before, or while this one has no evidence that the verdict uses. */
            scanChange: components["schemas"]["ScanChange"] | null;
            scope: components["schemas"]["BriefScope"];
            scorecard: components["schemas"]["Scorecard"];
            /** @description Null if no release of the repository was shipped before. */
            since: components["schemas"]["ShippedBefore"] | null;
            tests: components["schemas"]["BriefTests"];
            /** @example v1.4.0 */
            version: string;
        };
        ReviewEligibility: {
            /**
             * @description The user's login on GitHub; null if it is not known.
             * @example ada
             */
            login: string | null;
            /**
             * @description In one sentence.
             * @example ada may approve this release.
             */
            reason: string;
            /**
             * @description `unknown`: a fact is missing, too old, or GitHub did not return it in time.
             * @enum {string}
             */
            status: "eligible" | "ineligible" | "unknown";
        };
        ReviewerRequirement: {
            /**
             * @description Present if a request for changes by an author counts, although an approval does not.
             * @enum {boolean}
             */
            authorsMayObject?: true;
            /** @description Whether an approval by an author of the release does not count. */
            excludeReleaseAuthors: boolean;
            /** @example 2 */
            minApprovals: number;
            /**
             * @description The organization's default or the repository's `sdlc.yaml`; absent if the organization has no default.
             * @enum {string}
             */
            source?: "organization" | "repository";
            /**
             * @description Slugs of teams. If empty, every user with write access to the repository counts.
             * @example [
             *       "release-managers"
             *     ]
             */
            teams: string[];
        };
        Running: {
            /** @description The artifacts by repository and environment, those that may not run first. */
            artifacts: components["schemas"]["LocatedRunningArtifact"][];
            pagination: components["schemas"]["PageInfo"];
        };
        RunningArtifact: {
            /** @example sha256:4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e */
            digest: string;
            /**
             * Format: date-time
             * @description When it was stated first, since it was gone last.
             */
            firstSeen: string;
            /**
             * @description Whether it may run: the digest belongs to a shipped release, or a governed deployment of its release to the environment is open. False
             *     also while the policy is not valid or was not read yet. Null if the policy does not require an artifact of this name.
             */
            governed: boolean | null;
            /**
             * Format: date-time
             * @description When it was stated last.
             */
            lastSeen: string;
            /** @example api */
            name: string;
        };
        RunningInEnvironment: {
            /** @description The artifacts of the last statement, those that may not run first. */
            artifacts: components["schemas"]["RunningArtifact"][];
        };
        ScanChange: {
            /**
             * @description This release has such a scan and the one before lacks it, so none of its findings is compared.
             * @example []
             */
            added: ("sast_scan" | "security")[];
            /**
             * @description The release before has such a scan and this one lacks it, so new findings of the kind are not known.
             * @example [
             *       "security"
             *     ]
             */
            lost: ("sast_scan" | "security")[];
        };
        ScopeAssignee: {
            /**
             * Format: uri
             * @example https://avatars.githubusercontent.com/u/583231?v=4
             */
            avatarUrl: string;
            /** @example grace */
            login: string;
            /**
             * @description Null if the user never signed in here, or has no name on GitHub.
             * @example Grace Hopper
             */
            name: string | null;
        };
        ScopeAssignees: {
            /** @description At most 50, in the order of GitHub. */
            users: components["schemas"]["ScopeAssignee"][];
        };
        ScopeCandidate: {
            /**
             * @example [
             *       "enhancement"
             *     ]
             */
            labels: string[];
            /**
             * @description The number of the issue in its repository.
             * @example 42
             */
            number: number;
            /** @example Pay by card */
            title: string;
            /**
             * Format: uri
             * @description The page of the issue on GitHub.
             * @example https://github.com/acme/payments/issues/42
             */
            url: string;
        };
        ScopeCandidates: {
            /** @description At most 50, newest first. */
            issues: components["schemas"]["ScopeCandidate"][];
        };
        ScopeChangeRequest: {
            /**
             * @description `link` adds an open issue without a milestone to the release, `unlink` removes it. `assign` adds an owner to an issue of the
             *     release, `unassign` removes that owner.
             * @example link
             * @enum {string}
             */
            action: "assign" | "unassign" | "link" | "unlink";
            /**
             * @description The login of the owner. Required for `assign` and `unassign`, not allowed for other actions.
             * @example grace
             */
            assignee?: string;
            /**
             * @description The number of the issue in its repository.
             * @example 42
             */
            number: number;
        };
        ScopeChangeResult: {
            /**
             * @description Whether GitHub has the change.
             * @example true
             */
            saved: boolean;
            /**
             * @description Whether the release was evaluated with the change; if not, the evaluation is queued.
             * @example true
             */
            synced: boolean;
        };
        ScopeIssue: {
            /**
             * @example [
             *       "bug"
             *     ]
             */
            labels: string[];
            /** @example 12 */
            number: number;
            /**
             * @description The logins of its assignees.
             * @example [
             *       "ada"
             *     ]
             */
            owners: string[];
            /** @enum {string} */
            state: "open" | "closed";
            /** @example Pay by card */
            title: string;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/issues/12
             */
            url: string;
        };
        ScoreCap: {
            /** @enum {string} */
            grade: "A" | "B" | "C" | "D" | "F";
            /**
             * @description A sentence for users.
             * @example A critical finding is open.
             */
            reason: string;
        };
        Scorecard: {
            /** @description The reasons that limit the grade regardless of the score. */
            caps: components["schemas"]["ScoreCap"][];
            categories: components["schemas"]["CategoryScore"][];
            /** @enum {string|null} */
            grade: "A" | "B" | "C" | "D" | "F" | null;
            /** @description The categories that were not measured. They do not change the score. */
            incomplete: ("tests" | "coverage" | "sast" | "vulnerabilities" | "completeness")[];
            /**
             * @description The weighted score of the measured categories; null if none was measured.
             * @example 92.4
             */
            score: number | null;
        };
        SearchResults: {
            /** @description Empty unless the term is the start of a commit. */
            commits: components["schemas"]["FoundCommit"][];
            projects: components["schemas"]["FoundProject"][];
            /** @description Active ones before shipped ones, last changed or deployed first. */
            releases: components["schemas"]["FoundRelease"][];
            /** @description Names that begin with the term first. */
            repositories: components["schemas"]["FoundRepository"][];
            users: components["schemas"]["FoundUser"][];
        };
        SelectedWorkspace: {
            /**
             * @description Whether an admin lets the user read the audit log. An admin reads it in any case.
             * @example false
             */
            auditor: boolean;
            /**
             * @description The id of the latest event in the workspace, for `after` of the event stream. All that is read later includes its change.
             * @example 1203
             */
            lastEventId: string;
            /**
             * @description The login of its organization.
             * @example acme
             */
            org: string;
            /** @enum {string} */
            role: "admin" | "member";
        };
        SelectWorkspace: {
            /**
             * @description The login of its organization, in any case.
             * @example acme
             */
            org: string;
        };
        ServiceKey: {
            /** @enum {string} */
            alg: "EdDSA";
            /** @enum {string} */
            crv: "Ed25519";
            /**
             * @description The thumbprint of the key (RFC 7638), which signatures contain.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            kid: string;
            /** @enum {string} */
            kty: "OKP";
            /**
             * Format: date-time
             * @description The start of its use.
             */
            madeAt: string;
            /**
             * Format: date-time
             * @description The end of its use; null for the current key.
             */
            retiredAt: string | null;
            /** @enum {string} */
            use: "sig";
            /**
             * @description The public key: 32 bytes in base64url.
             * @example 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
             */
            x: string;
        };
        ServiceKeys: {
            /** @description Newest first. */
            keys: components["schemas"]["ServiceKey"][];
        };
        SetupRequest: {
            /**
             * @description The id of the app, in digits.
             * @example 123456
             */
            appId: string;
            /** @example Iv23liAbCdEfGhIjKlMn */
            clientId: string;
            /** @example a client secret */
            clientSecret: string;
            /**
             * @description The RSA key in the PEM format of GitHub. Line breaks may be written as `\n`.
             * @example -----BEGIN RSA PRIVATE KEY-----
             *     …
             *     -----END RSA PRIVATE KEY-----
             */
            privateKey: string;
            /** @example 7XK2M-Q0V9D-3HTRA-WZ8PE */
            setupCode: string;
            /**
             * @description The secret that signs the webhooks of the app.
             * @example a webhook secret
             */
            webhookSecret: string;
        };
        SetupResult: {
            /**
             * @description The name of the app in URLs, from GitHub.
             * @example shipgate
             */
            appSlug: string;
            /** @example true */
            configured: boolean;
            /**
             * @description The page on which an organization installs the app.
             * @example https://github.com/apps/shipgate/installations/new
             */
            installUrl: string;
        };
        SetupStateCounts: {
            COMPLETE: number;
            LEGACY: number;
            MERGED: number;
            NOT_STARTED: number;
            PR_OPEN: number;
            PROTECTION_FAILED: number;
            PROTECTION_PENDING: number;
            REMOVED: number;
            SUSPENDED: number;
        };
        SeverityLimits: {
            /** @example 0 */
            maxCritical: number | null;
            /** @example 0 */
            maxHigh: number | null;
            /** @example 0 */
            maxLow: number | null;
            /** @example 0 */
            maxMedium: number | null;
            sources?: components["schemas"]["SeveritySources"];
        };
        SeveritySources: {
            /** @enum {string} */
            maxCritical?: "organization" | "repository";
            /** @enum {string} */
            maxHigh?: "organization" | "repository";
            /** @enum {string} */
            maxLow?: "organization" | "repository";
            /** @enum {string} */
            maxMedium?: "organization" | "repository";
        };
        ShippedBefore: {
            /** @description Null if the service did not compare the two commits. It compares them if the policy excludes authors. */
            changes: components["schemas"]["CodeChanges"] | null;
            /** @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392 */
            commitSha: string | null;
            /**
             * Format: uri
             * @description The comparison of the two candidates on GitHub; null if this release has no candidate.
             * @example https://github.com/acme/payments/compare/9f8e7d6c5b4a...4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            comparisonUrl: string | null;
            /** Format: uuid */
            milestoneId: string;
            /** @example v1.4.0 */
            version: string;
        };
        StageDetails: {
            /** @description The conditions that fresh facts prove. */
            met: components["schemas"]["MetCondition"][];
            /** @enum {string} */
            stage: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
            /**
             * @description Whether the release has passed the stage, is in it, or has not reached it.
             * @enum {string}
             */
            standing: "passed" | "current" | "ahead";
            /** @description The conditions that cannot be checked now, with the reason. */
            unknown: components["schemas"]["ReleaseCondition"][];
            unmet: components["schemas"]["ReleaseCondition"][];
        };
        StageTransition: {
            /**
             * @description A login, or `service`.
             * @example service
             */
            actor: string;
            /** Format: date-time */
            at: string;
            /**
             * @description What caused the evaluation.
             * @example evidence
             */
            cause: string;
            /**
             * @description Null for the first verdict of the release.
             * @enum {string|null}
             */
            from: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED" | null;
            /** @enum {string} */
            to: "PLANNING" | "DEVELOPMENT" | "TESTING" | "EVIDENCING" | "DEPLOYMENT" | "DEPLOYED";
        };
        StartBootstrap: {
            /**
             * @description A personal access token that may write contents and workflows of the repository, and administer it for the branch
             *     protection. Required if the app lacks these permissions. It is used for nothing else, stored encrypted for at most an
             *     hour, and not stored at all if the app has the permissions.
             * @example a-personal-access-token
             */
            pat?: string | null;
        };
        StartSync: {
            /**
             * Format: uuid
             * @description The id of the repository; the whole workspace if it is left out.
             * @example 6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b
             */
            repoId?: string | null;
        };
        StatedArtifact: {
            /**
             * @description The digest of its bytes: `sha256:` and 64 lower-case hexadecimal digits.
             * @example sha256:4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e
             */
            digest: string;
            /**
             * @description The name by which the policy requires it.
             * @example api
             */
            name: string;
        };
        Statement: {
            /** @description An in-toto statement with a verification summary of SLSA, as JSON in base64. */
            payload: string;
            /** @enum {string} */
            payloadType: "application/vnd.in-toto+json";
            signatures: components["schemas"]["StatementSignature"][];
        };
        StatementKey: {
            /** @enum {string} */
            alg: "EdDSA";
            /** @enum {string} */
            crv: "Ed25519";
            /**
             * @description The thumbprint of the key (RFC 7638), which signatures contain.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            kid: string;
            /** @enum {string} */
            kty: "OKP";
            /**
             * Format: date-time
             * @description The start of its use.
             */
            madeAt: string;
            /**
             * Format: date-time
             * @description The end of its use; null for the current key.
             */
            retiredAt: string | null;
            /** @enum {string} */
            use: "sig";
            /**
             * @description The public key: 32 bytes in base64url.
             * @example 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
             */
            x: string;
        };
        StatementKeys: {
            /** @description Newest first. */
            keys: components["schemas"]["StatementKey"][];
        };
        StatementSignature: {
            /**
             * @description The `kid` of the key. It is not signed, so it only helps to find the key.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            keyid: string;
            /** @description The Ed25519 signature of the payload and its type (DSSE), in base64. */
            sig: string;
        };
        StateRunning: {
            /** @description All running artifacts. Those of the statement before that are not in it do not run any more. Empty if nothing runs. */
            artifacts: components["schemas"]["StatedArtifact"][];
            /**
             * Format: date-time
             * @description When it happened, with an offset from UTC. It is only shown. The time at which the report arrives counts.
             * @example 2026-05-06T18:00:00Z
             */
            at?: string;
            /**
             * @description The repository, as `name` or `owner/name`.
             * @example acme/payments
             */
            repo: string;
        };
        StorageUse: {
            /**
             * @description The maximum number of bytes; null means no limit. Uploads above it are rejected (413).
             * @example 1073741824
             */
            limit: number | null;
            /**
             * @description The bytes of evidence as they are stored. Content that was uploaded twice counts once.
             * @example 73400320
             */
            used: number;
        };
        StoredReport: {
            /**
             * @description The report format. `html` and `json` are documents that no parser reads.
             * @example junit
             */
            format: string;
            /** Format: uuid */
            id: string;
            /** @example junit.xml */
            name: string;
            /**
             * @description The SHA-256 of the uploaded bytes, as `sha256sum` prints it.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string;
            /**
             * @description In bytes.
             * @example 1480
             */
            size: number;
            /**
             * Format: uri
             * @description The URL of the download for signed-in users.
             * @example https://shipgate.example/api/evidence/6f0d/reports/9a51
             */
            url: string;
        };
        Subject: {
            /** @description The number of equal things, such as findings of one rule in one file. */
            count: number;
            /**
             * @description Identifies it in every evaluation. Two subjects may have the same label.
             * @example ["test","ci","unit_tests","staging","9f86d081884c7d659a2feaa0c55ad015"]
             */
            id: string;
            /**
             * @description Its name for users.
             * @example the test "Checkout › rejects an expired card" in "unit_tests" of "ci" (staging)
             */
            label: string;
        };
        SyncStarted: {
            /**
             * @description `waiting`: it starts when the current run ends.
             * @enum {string}
             */
            status: "running" | "waiting";
            /**
             * Format: uuid
             * @description The id of a run that starts after the request. Requests share a waiting run.
             */
            syncId: string;
        };
        SyncStatus: {
            /**
             * @description The number of deliveries that failed in every attempt.
             * @example 0
             */
            deadLetters: number;
            /**
             * @description Why the installation could not be read; null if it could.
             * @example null
             */
            detail: string | null;
            /** @description The milestones that are not releases. */
            ignored: components["schemas"]["IgnoredMilestone"][];
            /**
             * Format: date-time
             * @description The oldest of the last sync times of these repositories; null if one of them was never synced.
             */
            lastSyncedAt: string | null;
            /**
             * Format: uuid
             * @description The id of the waiting run; null if there is none.
             */
            nextSyncId: string | null;
            /** @description The repositories, by name. */
            repos: components["schemas"]["RepositorySync"][];
            /**
             * @description The status of the last run. `failed`: the installation or one of these repositories could not be read.
             * @enum {string}
             */
            status: "never" | "running" | "completed" | "failed";
            /**
             * Format: uuid
             * @description The id of the last run; null before the first one.
             */
            syncId: string | null;
        };
        Team: {
            /** @description The invites that can be accepted now, newest first. */
            invites: components["schemas"]["PendingInvite"][];
            /** @description The members, by login. */
            members: components["schemas"]["Member"][];
        };
        TestChange: {
            /** @description Tests that failed in the predecessor and pass now. */
            fixedTests: components["schemas"]["TestSample"];
            /** @description Tests that ran in the predecessor and do not run now. */
            lostTests: components["schemas"]["TestSample"];
            /** @description Tests that fail now and did not fail in the predecessor. */
            newFailures: components["schemas"]["TestSample"];
        };
        TestCounts: {
            /** @example 0 */
            failed: number;
            /** @example 214 */
            passed: number;
            /** @example 3 */
            skipped: number;
        };
        TestingRules: {
            /** @example release/** */
            branchPattern: string;
            /** @example staging */
            deployTarget: string | null;
            requiredArtifacts: components["schemas"]["RequiredArtifact"][];
            requiredChecks: components["schemas"]["RequiredCheck"][];
            /**
             * @description How long the candidate must stay deployed there, in seconds; absent without a soak.
             * @example 86400
             */
            soak?: number;
        };
        TestSample: {
            /** @example 1 */
            count: number;
            /**
             * @description The names of the first of them.
             * @example [
             *       "payments › pays › refuses an expired card"
             *     ]
             */
            names: string[];
        };
        UpdateProject: {
            /** @example The new checkout, in the shop and in the apps. */
            description?: string | null;
            /**
             * @description The name, unique in the workspace ignoring case.
             * @example Checkout 2
             */
            name?: string;
            /**
             * Format: date
             * @description The day on which all its releases should be deployed.
             * @example 2026-09-30
             */
            targetDate?: string | null;
        };
        UpgradeRequest: {
            /**
             * Format: date-time
             * @description When it was approved, rejected or withdrawn; null while it is open.
             */
            decidedAt: string | null;
            /** Format: uuid */
            id: string;
            /** @example Invoice to purchase order 4711 */
            note: string | null;
            /**
             * @description Null unless it was approved.
             * @example INV-2026-0815
             */
            paymentReference: string | null;
            /**
             * @description Why it was rejected; null unless it was.
             * @example The purchase order is unknown.
             */
            reason: string | null;
            /** Format: date-time */
            requestedAt: string;
            /**
             * @description The login of the admin who created the request.
             * @example ada
             */
            requestedBy: string | null;
            /** @enum {string} */
            status: "open" | "approved" | "rejected" | "withdrawn";
        };
        UpgradeRequestList: {
            /** @description Only with `page` or `pageSize`. */
            pagination?: components["schemas"]["PageInfo"];
            /** @description The newest first. */
            requests: components["schemas"]["PlatformUpgradeRequest"][];
        };
        UploadedFile: {
            /** @description The text of the file: at most 5 MB in UTF-8, unless the operator has set another limit. */
            content: string;
            /** @example junit.xml */
            filename: string;
            /**
             * @description The expected format. The upload is rejected if the content has another one.
             * @example junit
             */
            format?: string | null;
        };
        UploadLimits: {
            /**
             * @description The maximum size of one file.
             * @example 10485760
             */
            file_bytes: number;
            /**
             * @description The maximum number of files, including documents in `reports`.
             * @example 500
             */
            files: number;
            /**
             * @description The maximum size of the form after decompression.
             * @example 52428800
             */
            inflated_bytes: number;
            /**
             * @description The maximum size of the form as it is sent.
             * @example 26214400
             */
            upload_bytes: number;
        };
        User: {
            /**
             * Format: uri
             * @example https://avatars.githubusercontent.com/u/583231?v=4
             */
            avatarUrl: string;
            /**
             * @description The numeric id on GitHub.
             * @example 583231
             */
            id: number;
            /** @example ada */
            login: string;
            /** @example Ada Lovelace */
            name: string | null;
        };
        WaitingCounts: {
            /**
             * @description The active releases that are blocked, also by a freeze.
             * @example 3
             */
            blockedReleases: number;
            /**
             * @description The reviews that you can give now; null while this is not known of some.
             * @example 1
             */
            reviews: number | null;
        };
        Waiver: {
            /**
             * @description The candidate that it applies to. It ends when the candidate changes.
             * @example 4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392
             */
            candidateSha: string;
            /** @enum {string} */
            condition: "scope_empty" | "issue_unowned" | "issue_open" | "check_missing" | "check_failing" | "check_skipped" | "evidence_failing" | "too_few_tests" | "quality_gate_failing" | "freeze";
            /**
             * @description The login of the user who confirmed it; null while it waits for a confirmation.
             * @example bob
             */
            confirmedBy: string | null;
            /**
             * @description The GitHub id of that user; null while it waits for a confirmation.
             * @example 1024025
             */
            confirmedById: number | null;
            /**
             * @description The details of the conditions at the time of the request. They explain the subjects and decide nothing.
             * @example [
             *       "The required check \"e2e\" failed."
             *     ]
             */
            details: string[];
            /**
             * Format: date-time
             * @description Until when it can be confirmed and, once it is confirmed, until when it is in effect.
             */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** @example verified by hand */
            reason: string;
            /** Format: date-time */
            requestedAt: string;
            /**
             * @description The login of the user who requested it, at that time.
             * @example ada
             */
            requestedBy: string;
            /**
             * @description The GitHub id of that user. Unlike the login it never changes, so it identifies your own requests.
             * @example 583231
             */
            requestedById: number;
            /**
             * @description What it covers: the failed tests, findings, runs of checks, issues or freezes that were unmet at the time of the request. A condition
             *     with another subject is not covered.
             */
            subjects: components["schemas"]["Subject"][];
        };
        Waivers: {
            /** @description The waivers that are in effect or wait for a confirmation, oldest first. */
            waivers: components["schemas"]["Waiver"][];
        };
        WorkflowUpdate: {
            /**
             * @description The branch of the pull request, or the conflicting branch; null if there is none.
             * @example shipgate-workflow-update-4be2c1d09f37a865
             */
            branch: string | null;
            /**
             * @description The revision on the default branch; null if the files match no published revision.
             * @example 91c07e5a2b6d4f38
             */
            installedRevision: string | null;
            /**
             * @description The files that Shipgate updates: only the enforcement workflow if the repository has its own CI.
             * @example [
             *       ".github/workflows/shipgate-ci.yml",
             *       ".github/workflows/shipgate-enforce.yml"
             *     ]
             */
            managedFiles: string[];
            /**
             * @description The number of the open pull request; null if there is none.
             * @example 17
             */
            prNumber: number | null;
            /**
             * Format: uri
             * @example https://github.com/acme/payments/pull/17
             */
            prUrl: string | null;
            /**
             * @description `PR_CREATED`: the pull request was opened by this request. `PR_OPEN`: it was already open. `CONFLICT`: the branch has
             *     changes that Shipgate did not create. `PAT_REQUIRED`: the app may not write workflow files, so a token is required.
             * @example PR_OPEN
             * @enum {string}
             */
            status: "UP_TO_DATE" | "UPDATE_AVAILABLE" | "PR_OPEN" | "PR_CREATED" | "CONFLICT" | "PAT_REQUIRED";
            /**
             * @description The current revision of Shipgate's workflow files.
             * @example 4be2c1d09f37a865
             */
            targetRevision: string;
        };
        Workspace: {
            /** @description Whether the app is installed there and not suspended. */
            installed: boolean;
            /**
             * @description The login of its organization.
             * @example acme
             */
            org: string;
            /** @enum {string} */
            role: "admin" | "member";
            /** @description Whether the session has selected it. */
            selected: boolean;
        };
        WorkspaceList: {
            /**
             * @description Whether new organizations are read, so that the user may become a member of a workspace within seconds. If it is false and the
             *     list is empty, the user is a member of no workspace.
             * @example false
             */
            discovering: boolean;
            /**
             * @description Present only while `discovering` is true.
             * @enum {boolean}
             */
            reading?: true;
            workspaces: components["schemas"]["Workspace"][];
        };
        WorkspaceMembership: {
            /**
             * @description The login of its organization.
             * @example acme
             */
            org: string;
            /** @enum {string} */
            role: "member" | "admin";
        };
        WorkspacePlan: {
            /**
             * @description The login of its organization.
             * @example acme
             */
            org: string;
            /** @enum {string} */
            plan: "free" | "pro";
        };
        WorkspaceUsage: {
            managedRepositories: components["schemas"]["ManagedRepositories"];
            /**
             * @description The login of its organization.
             * @example acme
             */
            org: string;
            /** @enum {string} */
            plan: "free" | "pro";
            storage: components["schemas"]["StorageUse"];
        };
        WorkspaceUsageList: {
            pagination: components["schemas"]["PageInfo"];
            /** @description Sorted by login. */
            workspaces: components["schemas"]["WorkspaceUsage"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The tag of the page, for `If-None-Match`. Absent if the whole list is requested.
         * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
         */
        ETag: string;
        /**
         * @description The remaining requests (`r`), and the seconds until the quota is complete again (`t`).
         * @example "gate";r=299;t=60
         */
        RateLimit: string;
        /**
         * @description The quota (`q`) and its window in seconds (`w`).
         * @example "gate";q=300;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description The seconds after which a retry can succeed.
         * @example 5
         */
        "Retry-After": string;
        /**
         * @description The required scheme of credentials, and the problem of the credential that was sent.
         * @example Bearer realm="shipgate", error="invalid_token"
         */
        "WWW-Authenticate": string;
        /**
         * @description The cause of the error, for programs. Absent if the status says enough. `admin_required`: The user is not an admin of the workspace. `administration_required`: The app may not administer the repository. `already_confirmed`: The request was confirmed already. `already_member`: The user is a member of the workspace already. `app_not_installed`: The app is not installed in the organization, or it is suspended. `auditor_required`: The user is neither an auditor nor an admin of the workspace. `being_shipped`: The release is being shipped. `bootstrap_in_progress`: The repository is set up already, or its bootstrap pull request is open or being opened. `bootstrap_not_merged`: The bootstrap pull request is not merged. `branch_conflict`: The branch of the pull request has changes that Shipgate did not create. `cancelled`: The release is cancelled. `code_rejected`: GitHub rejects the code of the sign-in. `commits_disagree`: The commit, the version and the digest do not name the same commit. `condition_met`: The condition is not unmet now. `cross_origin`: The request was not sent by a page of the service. `denied`: The user did not authorize the app. `deployment_ended`: Another end of the deployment was reported. `deployments_required`: The app may not decide about deployments. `discovering`: The organizations of the user are being read. `expired`: The sign-in was not started in this browser, is over, or took too long. `files_rejected`: The files of the bootstrap cannot be proposed, for example because the repository is archived or empty. `freeze_limit`: The workspace has the maximum number of freezes. `freeze_was_active`: A freeze was active at the time of the deployment. `gate_closed`: The gate is closed. `gate_was_closed`: The gate was closed at the time of the deployment. `github_rejected`: GitHub rejects the request. `github_unavailable`: GitHub does not answer. `hidden_repositories`: The project has repositories that the user cannot read. `idempotency_key_used`: The idempotency key was used for another upload. `installation_not_found`: No organization of the user has such an installation. `invite_expired`: The invite has expired. `invite_for_other_user`: The invite is for another user. `invite_limit`: The workspace has the maximum number of pending invites. `invite_used`: The invite was accepted already. `invite_withdrawn`: The invite was withdrawn. `issue_busy`: Another request is changing the issue. `issue_closed`: The issue is closed. `issue_in_other_release`: The issue has another milestone. `issue_not_found`: The repository has no such issue. `issue_not_in_scope`: The issue is not in the scope of the release. `key_limit`: The maximum number of keys is reached. `last_admin`: The member is the last admin of the workspace. `members_unreadable`: The app cannot read the members of the organization. `membership_unconfirmed`: GitHub does not confirm the membership of the user now. `milestone_exists`: The repository has a milestone of this version already. `milestone_outdated`: GitHub does not accept the milestone of the release any more. `milestone_without_release`: The milestone was created, but it is not a release under the present policy. `name_taken`: Another project of the workspace has the name. `no_candidate`: The release has no candidate. `no_workspace`: The user is not a member of a selected workspace. `not_a_member`: The user is not a member of such a workspace. `not_a_version`: The version does not match the release naming of the repository. `not_an_owner`: The user does not own the organization. `not_configured`: The GitHub App is not set up. `not_evidencing`: The release is not in EVIDENCING. `not_in_organization`: The user does not belong to the organization on GitHub. `not_set_up`: The repository has no workflow files of Shipgate. `other_candidate`: The candidate is, or was at the time of the deployment, another commit. `other_commit`: The deployment was reported with another commit. `other_workspace`: The session works in another workspace than the request names. `override_limit`: The release has the maximum number of active requests. `own_request`: The user created the request. `owns_no_organization`: The user owns no organization. `pat_rejected`: GitHub does not accept the personal access token, or it lacks permissions. `pat_required`: The app lacks a permission, and no personal access token was sent. `personal_account`: The app is installed in the user's own account. `platform_admin_required`: The user is not a platform admin. `policy_not_valid`: The repository has no valid policy. `project_limit`: The workspace has the maximum number of projects. `promotion_automatic`: The policy promotes releases automatically. `pull_request_not_closed`: The evidence pull request is open or merged. `pull_request_opening`: The evidence pull request is being opened. `release_exists`: The repository has a release of this version already. `release_not_found`: The repository has no such release. `reported_by_github`: GitHub reported the deployment; it is in the history. `repository_archived`: The repository is archived on GitHub. `repository_limit`: The project has the maximum number of repositories. `request_closed`: The request is not open any more. `request_id_required`: More than one request waits, so the id is needed. `request_open`: A request is open already. `requester_not_admin`: The requester is not an admin any more. `rules_not_offered`: The organization's plan on GitHub has no deployment protection rules. `same_plan`: The workspace has the plan already. `shipped`: The release is shipped. `sign_in_again`: GitHub does not accept the sign-in of the user any more. `triage_required`: The user cannot triage the repository on GitHub.
         * @example last_admin
         */
        "X-Error-Code": "admin_required" | "administration_required" | "already_confirmed" | "already_member" | "app_not_installed" | "auditor_required" | "being_shipped" | "bootstrap_in_progress" | "bootstrap_not_merged" | "branch_conflict" | "cancelled" | "code_rejected" | "commits_disagree" | "condition_met" | "cross_origin" | "denied" | "deployment_ended" | "deployments_required" | "discovering" | "expired" | "files_rejected" | "freeze_limit" | "freeze_was_active" | "gate_closed" | "gate_was_closed" | "github_rejected" | "github_unavailable" | "hidden_repositories" | "idempotency_key_used" | "installation_not_found" | "invite_expired" | "invite_for_other_user" | "invite_limit" | "invite_used" | "invite_withdrawn" | "issue_busy" | "issue_closed" | "issue_in_other_release" | "issue_not_found" | "issue_not_in_scope" | "key_limit" | "last_admin" | "members_unreadable" | "membership_unconfirmed" | "milestone_exists" | "milestone_outdated" | "milestone_without_release" | "name_taken" | "no_candidate" | "no_workspace" | "not_a_member" | "not_a_version" | "not_an_owner" | "not_configured" | "not_evidencing" | "not_in_organization" | "not_set_up" | "other_candidate" | "other_commit" | "other_workspace" | "override_limit" | "own_request" | "owns_no_organization" | "pat_rejected" | "pat_required" | "personal_account" | "platform_admin_required" | "policy_not_valid" | "project_limit" | "promotion_automatic" | "pull_request_not_closed" | "pull_request_opening" | "release_exists" | "release_not_found" | "reported_by_github" | "repository_archived" | "repository_limit" | "request_closed" | "request_id_required" | "request_open" | "requester_not_admin" | "rules_not_offered" | "same_plan" | "shipped" | "sign_in_again" | "triage_required";
        /**
         * @description The request's id in the log of the service: the one that was sent in this header, where it has 8 to 64 letters, digits, dots, dashes or underscores, else a new one.
         * @example 3f0c8f0e-6d5b-4a57-9d0c-2a1f5f0f9f31
         */
        "X-Request-Id": string;
        /**
         * @description The login of the organization in whose workspace the session works. Absent if none is selected.
         * @example acme
         */
        "X-Workspace": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    stateArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": "acme/payments",
                 *       "version": "v1.4.0",
                 *       "name": "api",
                 *       "digest": "sha256:4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e"
                 *     }
                 */
                "application/json": components["schemas"]["ArtifactStatement"];
            };
        };
        responses: {
            /** @description The same statement was stored before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "artifactId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "binding": "pending"
                     *     }
                     */
                    "application/json": components["schemas"]["ArtifactReceipt"];
                };
            };
            /** @description The artifact is stored. Its bundle is verified by a job. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "artifactId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "binding": "pending"
                     *     }
                     */
                    "application/json": components["schemas"]["ArtifactReceipt"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description The actions. Repeat the parameter for several. */
                action?: ("installation.linked" | "installation.unlinked" | "member.joined" | "member.removed" | "member.role_changed" | "member.auditor_granted" | "member.auditor_revoked" | "invite.created" | "invite.revoked" | "invite.accepted" | "api_key.created" | "api_key.revoked" | "personal_key.created" | "personal_key.revoked" | "plan.upgrade_requested" | "plan.request_withdrawn" | "plan.upgraded" | "plan.upgrade_rejected" | "plan.downgraded" | "policy_default.changed" | "protection.requested" | "protection.changed" | "protection_rule.enabled" | "bootstrap.begun" | "bootstrap.merged" | "bootstrap.closed" | "repository.tampered" | "repository.restored" | "release.made" | "release.started" | "artifact.stated" | "artifact.verified" | "evidence_pull.reopened" | "freeze.made" | "freeze.lifted" | "waiver.requested" | "waiver.confirmed" | "waiver.withdrawn" | "break_glass.requested" | "break_glass.confirmed" | "break_glass.withdrawn" | "deployment.recorded" | "deployment.reported" | "running.changed" | "promotion.sent" | "promotion.unknown" | "issue.linked" | "issue.unlinked" | "issue.assigned" | "issue.unassigned" | "workflow_update.opened" | "workflow_update.merged")[];
                /** @description The login of the user at that time, ignoring case. `service` also selects the entries of the service itself. */
                actor?: string;
                /** @description The first day, in UTC. */
                from?: string;
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description A part of the subject, of the login of the user, or of a value in `data`. */
                search?: string;
                /** @description The last day, in UTC; it is included. */
                to?: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workspace": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "entries": [
                     *         {
                     *           "sequence": 1,
                     *           "previousHash": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
                     *           "hash": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "at": "2026-05-04T10:00:00.000Z",
                     *           "actor": {
                     *             "type": "person",
                     *             "id": 1,
                     *             "login": "ada"
                     *           },
                     *           "action": "installation.linked",
                     *           "subject": "build farm",
                     *           "data": {}
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AuditLog"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    exportAuditEntries: {
        parameters: {
            query: {
                /** @description The actions. Repeat the parameter for several. */
                action?: ("installation.linked" | "installation.unlinked" | "member.joined" | "member.removed" | "member.role_changed" | "member.auditor_granted" | "member.auditor_revoked" | "invite.created" | "invite.revoked" | "invite.accepted" | "api_key.created" | "api_key.revoked" | "personal_key.created" | "personal_key.revoked" | "plan.upgrade_requested" | "plan.request_withdrawn" | "plan.upgraded" | "plan.upgrade_rejected" | "plan.downgraded" | "policy_default.changed" | "protection.requested" | "protection.changed" | "protection_rule.enabled" | "bootstrap.begun" | "bootstrap.merged" | "bootstrap.closed" | "repository.tampered" | "repository.restored" | "release.made" | "release.started" | "artifact.stated" | "artifact.verified" | "evidence_pull.reopened" | "freeze.made" | "freeze.lifted" | "waiver.requested" | "waiver.confirmed" | "waiver.withdrawn" | "break_glass.requested" | "break_glass.confirmed" | "break_glass.withdrawn" | "deployment.recorded" | "deployment.reported" | "running.changed" | "promotion.sent" | "promotion.unknown" | "issue.linked" | "issue.unlinked" | "issue.assigned" | "issue.unassigned" | "workflow_update.opened" | "workflow_update.merged")[];
                /** @description The login of the user at that time, ignoring case. `service` also selects the entries of the service itself. */
                actor?: string;
                /** @description The format of the file. */
                format: "csv" | "json";
                /** @description The first day, in UTC. */
                from?: string;
                /** @description A part of the subject, of the login of the user, or of a value in `data`. */
                search?: string;
                /** @description The last day, in UTC; it is included. */
                to?: string;
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                workspace?: string;
            };
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A CSV file with one row per entry, or the list of `/api/audit` as JSON, newest first. A download that ends early is incomplete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workspace": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "entries": [
                     *         {
                     *           "sequence": 1,
                     *           "previousHash": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
                     *           "hash": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "at": "2026-05-04T10:00:00.000Z",
                     *           "actor": {
                     *             "type": "person",
                     *             "id": 1,
                     *             "login": "ada"
                     *           },
                     *           "action": "installation.linked",
                     *           "subject": "build farm",
                     *           "data": {}
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AuditLog"];
                    /** @example text */
                    "text/csv": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getAuditHead: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number and the hash of the last entry. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sequence": 0,
                     *       "hash": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                     *     }
                     */
                    "application/json": components["schemas"]["AuditHead"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    completeSignIn: {
        parameters: {
            query?: {
                /** @description The code that the service exchanges for tokens of the user. */
                code?: string;
                /** @description The reason if GitHub did not authorize the sign-in. */
                error?: string;
                /** @description The state of the started sign-in. */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    startSignIn: {
        parameters: {
            query?: {
                /** @description A path of this service, at most 2000 characters. Default: the start page. */
                returnTo?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user, and the workspace of the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": 583231,
                     *         "login": "ada",
                     *         "name": "Ada Lovelace",
                     *         "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4"
                     *       },
                     *       "workspace": {
                     *         "org": "acme",
                     *         "role": "admin",
                     *         "auditor": false,
                     *         "lastEventId": "1203"
                     *       },
                     *       "platformAdmin": true,
                     *       "reading": true
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentUser"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    selectWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "org": "acme"
                 *     }
                 */
                "application/json": components["schemas"]["SelectWorkspace"];
            };
        };
        responses: {
            /** @description The workspace is selected, also for the next sign-in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": 583231,
                     *         "login": "ada",
                     *         "name": "Ada Lovelace",
                     *         "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4"
                     *       },
                     *       "workspace": {
                     *         "org": "acme",
                     *         "role": "admin",
                     *         "auditor": false,
                     *         "lastEventId": "1203"
                     *       },
                     *       "platformAdmin": true,
                     *       "reading": true
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentUser"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listWorkspaces: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ordered by name. At most one is selected. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workspaces": [
                     *         {
                     *           "org": "acme",
                     *           "role": "admin",
                     *           "installed": true,
                     *           "selected": true
                     *         }
                     *       ],
                     *       "discovering": false,
                     *       "reading": true
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getPlan: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current plan and its use. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "plan": "free",
                     *       "managedRepositories": {
                     *         "used": 2,
                     *         "limit": 3
                     *       },
                     *       "storage": {
                     *         "used": 73400320,
                     *         "limit": 1073741824
                     *       },
                     *       "request": {
                     *         "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *         "status": "open",
                     *         "note": "Invoice to purchase order 4711",
                     *         "requestedBy": "ada",
                     *         "requestedAt": "2026-05-04T10:00:00.000Z",
                     *         "decidedAt": "2026-05-04T10:00:00.000Z",
                     *         "paymentReference": "INV-2026-0815",
                     *         "reason": "The purchase order is unknown."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Billing"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    requestUpgrade: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "Invoice to purchase order 4711"
                 *     }
                 */
                "application/json": components["schemas"]["CreateUpgradeRequest"];
            };
        };
        responses: {
            /** @description The request, which a platform admin decides. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "status": "open",
                     *       "note": "Invoice to purchase order 4711",
                     *       "requestedBy": "ada",
                     *       "requestedAt": "2026-05-04T10:00:00.000Z",
                     *       "decidedAt": "2026-05-04T10:00:00.000Z",
                     *       "paymentReference": "INV-2026-0815",
                     *       "reason": "The purchase order is unknown."
                     *     }
                     */
                    "application/json": components["schemas"]["UpgradeRequest"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    withdrawUpgradeRequest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request is withdrawn. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getCiConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The same for all callers. A newer client can leave out fields that this version does not know. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "0.1.0",
                     *       "audience": "shipgate",
                     *       "issuer": "https://token.actions.githubusercontent.com",
                     *       "upload_fields": [
                     *         "repo",
                     *         "version",
                     *         "pipeline",
                     *         "file"
                     *       ],
                     *       "limits": {
                     *         "files": 500,
                     *         "file_bytes": 10485760,
                     *         "upload_bytes": 26214400,
                     *         "inflated_bytes": 52428800
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CiConfig"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    completeInstallation: {
        parameters: {
            query?: {
                /** @description The id of the installation. Absent for a request. */
                installation_id?: string;
                /** @description `install`, `update`, or `request` if a member requested the installation from the owners. */
                setup_action?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listRepositoryWarnings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The warnings of the repositories that you can read, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "warnings": [
                     *         {
                     *           "repoId": "6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b",
                     *           "repo": "payments",
                     *           "code": "policy_invalid",
                     *           "detail": "sdlc.yaml, line 7: stages.testing.min_test: is not known; did you mean min_tests?",
                     *           "since": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RepositoryWarningList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    completeSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "setupCode": "7XK2M-Q0V9D-3HTRA-WZ8PE",
                 *       "appId": "123456",
                 *       "clientId": "Iv23liAbCdEfGhIjKlMn",
                 *       "clientSecret": "a client secret",
                 *       "webhookSecret": "a webhook secret",
                 *       "privateKey": "-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----\n"
                 *     }
                 */
                "application/json": components["schemas"]["SetupRequest"];
            };
        };
        responses: {
            /** @description GitHub accepts the credentials, and the service uses them. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "configured": true,
                     *       "appSlug": "shipgate",
                     *       "installUrl": "https://github.com/apps/shipgate/installations/new"
                     *     }
                     */
                    "application/json": components["schemas"]["SetupResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getSetupStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the GitHub App is set up, and the next addresses to open. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "configured": true,
                     *       "appSlug": "shipgate",
                     *       "installUrl": "https://github.com/apps/shipgate/installations/new",
                     *       "loginUrl": "https://shipgate.example.com/api/auth/login",
                     *       "billing": true,
                     *       "audience": "shipgate",
                     *       "githubUrl": "https://github.com",
                     *       "version": "0.1.0"
                     *     }
                     */
                    "application/json": components["schemas"]["ConfigStatus"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    describeCredential: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the API key or the identity token may do, and until when. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "api_key",
                     *       "scopes": [
                     *         "evidence:write"
                     *       ],
                     *       "repos": [
                     *         "acme/payments"
                     *       ],
                     *       "expiresAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Credential"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listActiveReleases: {
        parameters: {
            query?: {
                /** @description The outcome of the releases that are listed. */
                outcome?: "all" | "blocked" | "needs_approval" | "ready_to_deploy" | "in_progress";
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description A part of a version, of a repository's name, or of both, as in `catalog v0.9`; of `owner/name` where it has a slash. */
                search?: string;
                /**
                 * @description `updated`: last changed first. `urgency`: the blocked ones first, then the others, each by the earliest due day. `due`: the earliest
                 *     due day first. `repository`: by the name of the repository, newest version first.
                 */
                sort?: "updated" | "urgency" | "due" | "repository";
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The active releases of the repositories that you can read, by stored facts. Stale facts are refreshed in the background. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "releases": [
                     *         {
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "version": "v1.4.0",
                     *           "repoUrl": "https://github.com/acme/payments",
                     *           "title": "v1.4.0",
                     *           "stage": "PLANNING",
                     *           "outcome": "blocked",
                     *           "blockers": [
                     *             {
                     *               "code": "approvals_missing",
                     *               "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *               "actor": "team",
                     *               "url": "https://github.com/acme/payments/pull/42",
                     *               "source": "organization",
                     *               "endsAt": "2026-05-04T10:00:00.000Z",
                     *               "users": [
                     *                 {
                     *                   "login": "ada",
                     *                   "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4"
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "moreBlockers": 0,
                     *           "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "candidateUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "evidencePrNumber": 42,
                     *           "evidencePrUrl": "https://github.com/acme/payments/pull/42",
                     *           "milestoneUrl": "https://github.com/acme/payments/milestone/7",
                     *           "milestoneNumber": 7,
                     *           "issues": {
                     *             "open": 2,
                     *             "closed": 14
                     *           },
                     *           "readiness": {
                     *             "status": "ready",
                     *             "observedAt": "2026-05-04T10:00:00.000Z",
                     *             "validUntil": "2026-05-04T14:32:00.000Z"
                     *           },
                     *           "dueOn": "2026-05-04T10:00:00.000Z",
                     *           "isOverdue": true,
                     *           "dueFreeze": {
                     *             "from": "2026-12-20",
                     *             "to": "2027-01-02",
                     *             "reason": "end of the year"
                     *           },
                     *           "updatedAt": "2026-05-04T10:00:00.000Z",
                     *           "deployedAt": "2026-05-04T10:00:00.000Z",
                     *           "cancelledAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "counts": {
                     *         "all": 0,
                     *         "blocked": 0,
                     *         "needs_approval": 0,
                     *         "ready_to_deploy": 0,
                     *         "in_progress": 0
                     *       },
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    countWaiting: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts over the repositories that you can read, by stored facts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "blockedReleases": 3,
                     *       "reviews": 1
                     *     }
                     */
                    "application/json": components["schemas"]["WaitingCounts"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getDiagnostics: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state of the service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": {
                     *         "service": "0.1.0",
                     *         "node": "24.21.0",
                     *         "postgres": "18.4"
                     *       },
                     *       "database": {
                     *         "role": "shipgate_app",
                     *         "rowLevelSecurity": {
                     *           "holds": true,
                     *           "problems": []
                     *         },
                     *         "pendingMigrations": [],
                     *         "replica": {
                     *           "used": true,
                     *           "behindSeconds": 0
                     *         }
                     *       },
                     *       "untrustedForwarderAt": "2026-05-04T10:00:00.000Z",
                     *       "queue": {
                     *         "due": 0,
                     *         "running": 0,
                     *         "later": 0,
                     *         "givenUp": 0
                     *       },
                     *       "storage": {
                     *         "used": 73400320,
                     *         "limit": 1073741824
                     *       },
                     *       "freshness": {
                     *         "repositories": 0,
                     *         "oldestObservationAt": "2026-05-04T10:00:00.000Z",
                     *         "newestObservationAt": "2026-05-04T10:00:00.000Z"
                     *       },
                     *       "codeHost": {
                     *         "installed": true,
                     *         "budgets": [
                     *           {
                     *             "name": "app",
                     *             "limit": 1,
                     *             "remaining": 1,
                     *             "resetAt": "2026-05-04T10:00:00.000Z",
                     *             "closedUntil": "2026-05-04T10:00:00.000Z",
                     *             "circuit": {
                     *               "state": "closed",
                     *               "openUntil": "2026-05-04T10:00:00.000Z"
                     *             },
                     *             "brokenAddresses": 0,
                     *             "waiting": 0
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Diagnostics"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listReportedDeployments: {
        parameters: {
            query?: {
                /** @description The environment, ignoring case. */
                environment?: string;
                /** @description The id of the release. */
                milestoneId?: string;
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description The repository, as `name` or `owner/name`, ignoring case. */
                repo?: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the deployments of the repositories that you can read, to every environment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deployments": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "environment": "production",
                     *           "deployment": "jenkins-payments-412",
                     *           "status": "started",
                     *           "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "commitUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "version": "v1.4.0",
                     *           "startedAt": "2026-05-04T10:00:00.000Z",
                     *           "endedAt": "2026-05-04T10:00:00.000Z",
                     *           "statedAt": "2026-05-04T10:00:00.000Z",
                     *           "canDeploy": true,
                     *           "decisionId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "kind": "release",
                     *           "reportedBy": "run",
                     *           "keyName": "Jenkins",
                     *           "runUrl": "https://github.com/acme/payments/pull/42"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReportedDeployments"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    reportDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": "acme/payments",
                 *       "environment": "production",
                 *       "deployment": "jenkins-payments-412",
                 *       "status": "started",
                 *       "commit_sha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                 *       "version": "v1.4.0",
                 *       "digest": "sha256:9f86d0819f86d0819f86d0819f86d0819f86d0819f86d0819f86d0819f86d081",
                 *       "run_url": "https://jenkins.example/job/payments/412/",
                 *       "at": "2026-05-06T18:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["ReportDeployment"];
            };
        };
        responses: {
            /** @description The report is stored, or it was stored before. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deploymentId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "kind": "release",
                     *       "releaseId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "decisionId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "gate": {
                     *         "can_deploy": true,
                     *         "reasons": [
                     *           {
                     *             "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *             "url": "https://github.com/acme/payments/pull/42",
                     *             "source": "organization",
                     *             "endsAt": "2026-05-04T10:00:00.000Z",
                     *             "code": "approvals_missing",
                     *             "actor": "team"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeploymentReceipt"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getApiPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. It runs no script and loads nothing. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listEnvironments: {
        parameters: {
            query?: {
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description A part of the name of a repository. */
                search?: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the repositories that you can read, with the environments that their policies name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "repositories": [
                     *         {
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repo": "payments",
                     *           "environments": [
                     *             {
                     *               "name": "staging",
                     *               "role": "development",
                     *               "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *               "commitUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *               "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *               "version": "v1.4.0",
                     *               "since": "2026-05-04T10:00:00.000Z",
                     *               "source": "github",
                     *               "runUrl": "https://github.com/acme/payments/pull/42",
                     *               "kind": "release"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EnvironmentList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listRunningInEnvironment: {
        parameters: {
            query: {
                /** @description The repository, as `name` or `owner/name`. */
                repo: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The environment, ignoring case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The artifacts of the last statement. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "artifacts": [
                     *         {
                     *           "name": "api",
                     *           "digest": "sha256:4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e",
                     *           "governed": true,
                     *           "firstSeen": "2026-05-04T10:00:00.000Z",
                     *           "lastSeen": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RunningInEnvironment"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    stateRunning: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment, ignoring case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": "acme/payments",
                 *       "at": "2026-05-06T18:00:00Z",
                 *       "artifacts": [
                 *         {
                 *           "name": "api",
                 *           "digest": "sha256:4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["StateRunning"];
            };
        };
        responses: {
            /** @description The statement is stored and replaces the one before. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description As `Last-Event-ID`, which goes first: browsers cannot set the header of a first request. For example `lastEventId` of `/api/auth/me`. */
                after?: string;
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                workspace?: string;
            };
            header?: {
                /** @description The id of the last received event. Missed events of the last five minutes are sent first. */
                "Last-Event-ID"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events until the client disconnects or the session or the membership ends. An event names a change; read its content from the lists. The event `heartbeat` names none. It is sent at the start and every 15 seconds; connect again if 40 seconds pass without an event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example retry: 5000
                     *     id: 1203
                     *
                     *     event: heartbeat
                     *     data: {}
                     *
                     *     id: 1204
                     *     event: release.updated
                     *     data: {"id":"1204","type":"release.updated","org":"acme","repo":"payments","milestoneId":"0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b","at":"2026-05-04T10:00:00.000Z"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getEvidence: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the evidence. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload. It never changes, except `decides` of its items. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "repo": "acme/payments",
                     *       "version": "v1.4.0",
                     *       "pipeline": "build and test",
                     *       "environment": "staging",
                     *       "job": "test (2, node 24)",
                     *       "jobGroup": "unit tests",
                     *       "jobTotal": 4,
                     *       "run": {
                     *         "id": "9123456789",
                     *         "attempt": 1,
                     *         "proven": true
                     *       },
                     *       "runUrl": "https://github.com/acme/payments/pull/42",
                     *       "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "commitSource": "token",
                     *       "uploadedBy": "api_key",
                     *       "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "metrics": {
                     *         "unit_tests": {
                     *           "total": 3,
                     *           "passed": 3,
                     *           "failed": 0,
                     *           "skipped": 0
                     *         }
                     *       },
                     *       "flags": [],
                     *       "pieces": [
                     *         {
                     *           "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "type": "unit_tests",
                     *           "environment": "staging",
                     *           "pipeline": "build and test",
                     *           "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "metrics": {
                     *             "unit_tests": {
                     *               "total": 12,
                     *               "passed": 12,
                     *               "failed": 0,
                     *               "skipped": 0
                     *             }
                     *           },
                     *           "status": "passed",
                     *           "failures": [],
                     *           "decides": true,
                     *           "runUrl": "https://github.com/acme/payments/pull/42",
                     *           "createdAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "reports": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "name": "junit.xml",
                     *           "format": "junit",
                     *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "size": 1480,
                     *           "url": "https://shipgate.example/api/evidence/6f0d/reports/9a51",
                     *           "result": {
                     *             "kind": "unit_tests",
                     *             "metrics": {
                     *               "unit_tests": {
                     *                 "total": 3,
                     *                 "passed": 3,
                     *                 "failed": 0,
                     *                 "skipped": 0
                     *               }
                     *             },
                     *             "failures": [],
                     *             "notes": [],
                     *             "details": [
                     *               {
                     *                 "title": "pays by card",
                     *                 "location": "src/pay.spec.ts",
                     *                 "message": "expected 201, got 500"
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "createdAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["EvidenceDetails"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    downloadReport: {
        parameters: {
            query?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                workspace?: string;
            };
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the evidence. */
                id: string;
                /** @description The id of the report. */
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes that were uploaded, as an attachment in a sandbox; its type follows the report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <testsuite/> */
                    "application/json": string;
                    /** @example <testsuite/> */
                    "application/x-ndjson": string;
                    /** @example <testsuite/> */
                    "application/xml": string;
                    /** @example <testsuite/> */
                    "text/html": string;
                    /** @example <testsuite/> */
                    "text/plain": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    uploadEvidence: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated upload with this key returns the result of the first one, for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": "acme/payments",
                 *       "version": "v1.4.0",
                 *       "pipeline": "build and test",
                 *       "environment": "staging",
                 *       "files": [
                 *         {
                 *           "filename": "junit.xml",
                 *           "content": "<testsuite tests=\"1\"><testcase name=\"pays\" time=\"0.01\"/></testsuite>"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EvidenceUpload"];
            };
        };
        responses: {
            /** @description The same upload was stored before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "message": "Evidence received for v1.4.0 at 4f1c2d9; it counts at the candidate.",
                     *       "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "commitSource": "token",
                     *       "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "effect": "decides",
                     *       "releaseUrl": "https://shipgate.example/w/acme/releases/6f0d1c9a",
                     *       "pieces": [
                     *         {
                     *           "kind": "unit_tests",
                     *           "environment": "staging",
                     *           "metrics": {
                     *             "unit_tests": {
                     *               "total": 3,
                     *               "passed": 3,
                     *               "failed": 0,
                     *               "skipped": 0
                     *             }
                     *           },
                     *           "failures": [],
                     *           "moreFailures": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EvidenceReceipt"];
                };
            };
            /** @description The evidence is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "message": "Evidence received for v1.4.0 at 4f1c2d9; it counts at the candidate.",
                     *       "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "commitSource": "token",
                     *       "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "effect": "decides",
                     *       "releaseUrl": "https://shipgate.example/w/acme/releases/6f0d1c9a",
                     *       "pieces": [
                     *         {
                     *           "kind": "unit_tests",
                     *           "environment": "staging",
                     *           "metrics": {
                     *             "unit_tests": {
                     *               "total": 3,
                     *               "passed": 3,
                     *               "failed": 0,
                     *               "skipped": 0
                     *             }
                     *           },
                     *           "failures": [],
                     *           "moreFailures": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EvidenceReceipt"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    uploadReports: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated upload with this key returns the result of the first one, for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "org": "acme",
                 *       "repo": "acme/payments",
                 *       "version": "v1.4.0",
                 *       "pipeline": "build and test",
                 *       "environment": "staging",
                 *       "job": "test (2/4)",
                 *       "run_attempt": 1,
                 *       "job_group": "unit tests",
                 *       "job_total": 1,
                 *       "metrics": {},
                 *       "reports": {},
                 *       "commit_sha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                 *       "kind": "unit_tests",
                 *       "run_url": "https://github.com/acme/payments/pull/42",
                 *       "format": "junit",
                 *       "file": [
                 *         "text"
                 *       ]
                 *     }
                 */
                "multipart/form-data": components["schemas"]["ReportUpload"];
            };
        };
        responses: {
            /** @description The same upload was stored before, with these files. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "message": "Evidence received for v1.4.0 at 4f1c2d9; it counts at the candidate.",
                     *       "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "commitSource": "token",
                     *       "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "effect": "decides",
                     *       "releaseUrl": "https://shipgate.example/w/acme/releases/6f0d1c9a",
                     *       "pieces": [
                     *         {
                     *           "kind": "unit_tests",
                     *           "environment": "staging",
                     *           "metrics": {
                     *             "unit_tests": {
                     *               "total": 3,
                     *               "passed": 3,
                     *               "failed": 0,
                     *               "skipped": 0
                     *             }
                     *           },
                     *           "failures": [],
                     *           "moreFailures": 0
                     *         }
                     *       ],
                     *       "reports": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "name": "junit.xml",
                     *           "format": "junit",
                     *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "size": 1480,
                     *           "url": "https://shipgate.example/api/evidence/6f0d/reports/9a51"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReportReceipt"];
                };
            };
            /** @description The evidence and its files are stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "message": "Evidence received for v1.4.0 at 4f1c2d9; it counts at the candidate.",
                     *       "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "commitSource": "token",
                     *       "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "effect": "decides",
                     *       "releaseUrl": "https://shipgate.example/w/acme/releases/6f0d1c9a",
                     *       "pieces": [
                     *         {
                     *           "kind": "unit_tests",
                     *           "environment": "staging",
                     *           "metrics": {
                     *             "unit_tests": {
                     *               "total": 3,
                     *               "passed": 3,
                     *               "failed": 0,
                     *               "skipped": 0
                     *             }
                     *           },
                     *           "failures": [],
                     *           "moreFailures": 0
                     *         }
                     *       ],
                     *       "reports": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "name": "junit.xml",
                     *           "format": "junit",
                     *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "size": 1480,
                     *           "url": "https://shipgate.example/api/evidence/6f0d/reports/9a51"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReportReceipt"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listFreezes: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The freezes that admins created. Policies can have their own freezes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "freezes": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "from": "2099-12-20",
                     *           "to": "2099-12-31",
                     *           "reason": "year end",
                     *           "createdBy": "ada",
                     *           "createdAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Freezes"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    createFreeze: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2099-12-20",
                 *       "to": "2099-12-31",
                 *       "reason": "year end"
                 *     }
                 */
                "application/json": components["schemas"]["CreateFreeze"];
            };
        };
        responses: {
            /** @description The freeze, which is in effect. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "from": "2099-12-20",
                     *       "to": "2099-12-31",
                     *       "reason": "year end",
                     *       "createdBy": "ada",
                     *       "createdAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Freeze"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    liftFreeze: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the freeze. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The freeze is lifted, and jobs evaluate the releases again. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    checkHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    checkReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready"
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        status: "ready";
                    };
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listHistory: {
        parameters: {
            query?: {
                /** @description The environment, ignoring case. */
                environment?: string;
                /** @description The first day, in UTC. */
                from?: string;
                /** @description The kind of the deployment. */
                kind?: "release" | "hotfix" | "rollback" | "ungoverned";
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description A repository as `owner/repo`, ignoring case. */
                repository?: string;
                /** @description A part of a version, of a repository's name, or of both, as in `catalog v0.9`; of `owner/name` where it has a slash. */
                search?: string;
                /** @description The last day, in UTC; it is included. */
                to?: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployments of the repositories that you can read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "history": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "repoUrl": "https://github.com/acme/payments",
                     *           "version": "v1.4.0",
                     *           "kind": "release",
                     *           "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "candidateUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "environment": "production",
                     *           "deployedAt": "2026-05-04T10:00:00.000Z",
                     *           "deployedBy": "ada",
                     *           "approvers": [
                     *             "rita"
                     *           ],
                     *           "decisionId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "score": 0,
                     *           "leadTimeSeconds": 86400,
                     *           "overrides": [
                     *             {
                     *               "kind": "waiver",
                     *               "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *               "reason": "verified by hand",
                     *               "expiresAt": "2026-05-04T10:00:00.000Z",
                     *               "conditions": [
                     *                 {
                     *                   "code": "approvals_missing",
                     *                   "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *                   "actor": "team",
                     *                   "url": "https://github.com/acme/payments/pull/42",
                     *                   "source": "organization",
                     *                   "endsAt": "2026-05-04T10:00:00.000Z"
                     *                 }
                     *               ],
                     *               "requestedBy": "ada",
                     *               "confirmedBy": "bob"
                     *             }
                     *           ],
                     *           "source": "github",
                     *           "keyName": "Jenkins",
                     *           "runUrl": "https://jenkins.example/job/payments/412/",
                     *           "note": "deployed while GitHub was down"
                     *         }
                     *       ],
                     *       "repositories": [
                     *         "acme/payments"
                     *       ],
                     *       "environments": [
                     *         "production"
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["History"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    recordDeployment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "milestoneId": "6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b",
                 *       "deployedAt": "2026-05-06T18:00:00Z",
                 *       "environment": "production",
                 *       "note": "deployed while GitHub was down"
                 *     }
                 */
                "application/json": components["schemas"]["CreateDeploymentRecord"];
            };
        };
        responses: {
            /** @description The release is shipped. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "org": "acme",
                     *       "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "repo": "payments",
                     *       "repoUrl": "https://github.com/acme/payments",
                     *       "version": "v1.4.0",
                     *       "kind": "release",
                     *       "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "candidateUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "environment": "production",
                     *       "deployedAt": "2026-05-04T10:00:00.000Z",
                     *       "deployedBy": "ada",
                     *       "approvers": [
                     *         "rita"
                     *       ],
                     *       "decisionId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "score": 0,
                     *       "leadTimeSeconds": 86400,
                     *       "overrides": [
                     *         {
                     *           "kind": "waiver",
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "reason": "verified by hand",
                     *           "expiresAt": "2026-05-04T10:00:00.000Z",
                     *           "conditions": [
                     *             {
                     *               "code": "approvals_missing",
                     *               "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *               "actor": "team",
                     *               "url": "https://github.com/acme/payments/pull/42",
                     *               "source": "organization",
                     *               "endsAt": "2026-05-04T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "requestedBy": "ada",
                     *           "confirmedBy": "bob"
                     *         }
                     *       ],
                     *       "source": "github",
                     *       "keyName": "Jenkins",
                     *       "runUrl": "https://jenkins.example/job/payments/412/",
                     *       "note": "deployed while GitHub was down"
                     *     }
                     */
                    "application/json": components["schemas"]["DeploymentRecord"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    exportHistory: {
        parameters: {
            query: {
                /** @description The environment, ignoring case. */
                environment?: string;
                /** @description The format of the file. */
                format: "csv" | "xlsx";
                /** @description The first day, in UTC. */
                from?: string;
                /** @description The kind of the deployment. */
                kind?: "release" | "hotfix" | "rollback" | "ungoverned";
                /** @description A repository as `owner/repo`, ignoring case. */
                repository?: string;
                /** @description A part of a version, of a repository's name, or of both, as in `catalog v0.9`; of `owner/name` where it has a slash. */
                search?: string;
                /** @description The last day, in UTC; it is included. */
                to?: string;
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                workspace?: string;
            };
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A CSV file or a workbook with one row per deployment of the repositories that the user can read, in the order of `/api/history`. A download that ends early is incomplete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example text */
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    /** @example text */
                    "text/csv": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    createRelease: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repoId": "6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b",
                 *       "version": "v1.4.0",
                 *       "title": "v1.4.0",
                 *       "dueOn": "2026-05-06",
                 *       "description": "Pay by card."
                 *     }
                 */
                "application/json": components["schemas"]["CreateRelease"];
            };
        };
        responses: {
            /** @description The release. Its first evaluation is queued. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "org": "acme",
                     *       "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "repo": "payments",
                     *       "version": "v1.4.0",
                     *       "repoUrl": "https://github.com/acme/payments",
                     *       "title": "v1.4.0",
                     *       "stage": "PLANNING",
                     *       "outcome": "blocked",
                     *       "blockers": [
                     *         {
                     *           "code": "approvals_missing",
                     *           "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *           "actor": "team",
                     *           "url": "https://github.com/acme/payments/pull/42",
                     *           "source": "organization",
                     *           "endsAt": "2026-05-04T10:00:00.000Z",
                     *           "users": [
                     *             {
                     *               "login": "ada",
                     *               "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "moreBlockers": 0,
                     *       "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "candidateUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "evidencePrNumber": 42,
                     *       "evidencePrUrl": "https://github.com/acme/payments/pull/42",
                     *       "milestoneUrl": "https://github.com/acme/payments/milestone/7",
                     *       "milestoneNumber": 7,
                     *       "issues": {
                     *         "open": 2,
                     *         "closed": 14
                     *       },
                     *       "readiness": {
                     *         "status": "ready",
                     *         "observedAt": "2026-05-04T10:00:00.000Z",
                     *         "validUntil": "2026-05-04T14:32:00.000Z"
                     *       },
                     *       "dueOn": "2026-05-04T10:00:00.000Z",
                     *       "isOverdue": true,
                     *       "dueFreeze": {
                     *         "from": "2026-12-20",
                     *         "to": "2027-01-02",
                     *         "reason": "end of the year"
                     *       },
                     *       "updatedAt": "2026-05-04T10:00:00.000Z",
                     *       "deployedAt": "2026-05-04T10:00:00.000Z",
                     *       "cancelledAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getRelease: {
        parameters: {
            query?: {
                /** @description `live`: the facts are read from GitHub first. `stored`: the response uses stored facts only, without a call to GitHub and without the limit of live reads. Stale facts are unknown. */
                look?: "stored" | "live";
            };
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The facts are read from GitHub within 3 seconds, unless only stored ones are requested. A fact that could not be read in time is unknown, with the reason. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "release": {
                     *         "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *         "org": "acme",
                     *         "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *         "repo": "payments",
                     *         "version": "v1.4.0",
                     *         "repoUrl": "https://github.com/acme/payments",
                     *         "title": "v1.4.0",
                     *         "stage": "PLANNING",
                     *         "outcome": "blocked",
                     *         "blockers": [
                     *           {
                     *             "code": "approvals_missing",
                     *             "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *             "actor": "team",
                     *             "url": "https://github.com/acme/payments/pull/42",
                     *             "source": "organization",
                     *             "endsAt": "2026-05-04T10:00:00.000Z",
                     *             "users": [
                     *               {
                     *                 "login": "ada",
                     *                 "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "moreBlockers": 0,
                     *         "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *         "candidateUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *         "evidencePrNumber": 42,
                     *         "evidencePrUrl": "https://github.com/acme/payments/pull/42",
                     *         "milestoneUrl": "https://github.com/acme/payments/milestone/7",
                     *         "milestoneNumber": 7,
                     *         "issues": {
                     *           "open": 2,
                     *           "closed": 14
                     *         },
                     *         "readiness": {
                     *           "status": "ready",
                     *           "observedAt": "2026-05-04T10:00:00.000Z",
                     *           "validUntil": "2026-05-04T14:32:00.000Z"
                     *         },
                     *         "dueOn": "2026-05-04T10:00:00.000Z",
                     *         "isOverdue": true,
                     *         "dueFreeze": {
                     *           "from": "2026-12-20",
                     *           "to": "2027-01-02",
                     *           "reason": "end of the year"
                     *         },
                     *         "updatedAt": "2026-05-04T10:00:00.000Z",
                     *         "deployedAt": "2026-05-04T10:00:00.000Z",
                     *         "cancelledAt": "2026-05-04T10:00:00.000Z"
                     *       },
                     *       "verification": {
                     *         "status": "verified",
                     *         "reason": "text"
                     *       },
                     *       "stages": [
                     *         {
                     *           "stage": "PLANNING",
                     *           "standing": "passed",
                     *           "met": [
                     *             {
                     *               "code": "tests_passed",
                     *               "detail": "The tests passed: 214 of them."
                     *             }
                     *           ],
                     *           "unmet": [
                     *             {
                     *               "code": "approvals_missing",
                     *               "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *               "actor": "team",
                     *               "url": "https://github.com/acme/payments/pull/42",
                     *               "source": "organization",
                     *               "endsAt": "2026-05-04T10:00:00.000Z",
                     *               "closesGate": true,
                     *               "failedTests": {
                     *                 "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *                 "count": 1,
                     *                 "tests": [
                     *                   {
                     *                     "name": "Checkout › rejects an expired card",
                     *                     "message": "expected 402, got 200",
                     *                     "history": {
                     *                       "failingSince": {
                     *                         "day": "2026-05-02",
                     *                         "runUrl": "https://github.com/acme/payments/actions/runs/9123456780"
                     *                       },
                     *                       "lastPassedIn": "v1.3.0"
                     *                     }
                     *                   }
                     *                 ],
                     *                 "runUrl": "https://github.com/acme/payments/pull/42"
                     *               },
                     *               "override": "waiver",
                     *               "subjects": [
                     *                 {
                     *                   "id": "[\"test\",\"ci\",\"unit_tests\",\"staging\",\"9f86d081884c7d659a2feaa0c55ad015\"]",
                     *                   "label": "the test \"Checkout › rejects an expired card\" in \"unit_tests\" of \"ci\" (staging)",
                     *                   "count": 1
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "unknown": [
                     *             {
                     *               "code": "approvals_missing",
                     *               "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *               "actor": "team",
                     *               "url": "https://github.com/acme/payments/pull/42",
                     *               "source": "organization",
                     *               "endsAt": "2026-05-04T10:00:00.000Z",
                     *               "closesGate": true,
                     *               "failedTests": {
                     *                 "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *                 "count": 1,
                     *                 "tests": [
                     *                   {
                     *                     "name": "Checkout › rejects an expired card",
                     *                     "message": "expected 402, got 200",
                     *                     "history": {
                     *                       "failingSince": {
                     *                         "day": "2026-05-02",
                     *                         "runUrl": "https://github.com/acme/payments/actions/runs/9123456780"
                     *                       },
                     *                       "lastPassedIn": "v1.3.0"
                     *                     }
                     *                   }
                     *                 ],
                     *                 "runUrl": "https://github.com/acme/payments/pull/42"
                     *               },
                     *               "override": "waiver",
                     *               "subjects": [
                     *                 {
                     *                   "id": "[\"test\",\"ci\",\"unit_tests\",\"staging\",\"9f86d081884c7d659a2feaa0c55ad015\"]",
                     *                   "label": "the test \"Checkout › rejects an expired card\" in \"unit_tests\" of \"ci\" (staging)",
                     *                   "count": 1
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "reasons": [
                     *         {
                     *           "code": "approvals_missing",
                     *           "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *           "actor": "team",
                     *           "url": "https://github.com/acme/payments/pull/42",
                     *           "source": "organization",
                     *           "endsAt": "2026-05-04T10:00:00.000Z",
                     *           "closesGate": true,
                     *           "failedTests": {
                     *             "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *             "count": 1,
                     *             "tests": [
                     *               {
                     *                 "name": "Checkout › rejects an expired card",
                     *                 "message": "expected 402, got 200",
                     *                 "history": {
                     *                   "failingSince": {
                     *                     "day": "2026-05-02",
                     *                     "runUrl": "https://github.com/acme/payments/actions/runs/9123456780"
                     *                   },
                     *                   "lastPassedIn": "v1.3.0"
                     *                 }
                     *               }
                     *             ],
                     *             "runUrl": "https://github.com/acme/payments/pull/42"
                     *           },
                     *           "override": "waiver",
                     *           "subjects": [
                     *             {
                     *               "id": "[\"test\",\"ci\",\"unit_tests\",\"staging\",\"9f86d081884c7d659a2feaa0c55ad015\"]",
                     *               "label": "the test \"Checkout › rejects an expired card\" in \"unit_tests\" of \"ci\" (staging)",
                     *               "count": 1
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "warnings": [
                     *         {
                     *           "code": "approvals_missing",
                     *           "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *           "actor": "team",
                     *           "url": "https://github.com/acme/payments/pull/42",
                     *           "source": "organization",
                     *           "endsAt": "2026-05-04T10:00:00.000Z",
                     *           "closesGate": true,
                     *           "failedTests": {
                     *             "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *             "count": 1,
                     *             "tests": [
                     *               {
                     *                 "name": "Checkout › rejects an expired card",
                     *                 "message": "expected 402, got 200",
                     *                 "history": {
                     *                   "failingSince": {
                     *                     "day": "2026-05-02",
                     *                     "runUrl": "https://github.com/acme/payments/actions/runs/9123456780"
                     *                   },
                     *                   "lastPassedIn": "v1.3.0"
                     *                 }
                     *               }
                     *             ],
                     *             "runUrl": "https://github.com/acme/payments/pull/42"
                     *           },
                     *           "override": "waiver",
                     *           "subjects": [
                     *             {
                     *               "id": "[\"test\",\"ci\",\"unit_tests\",\"staging\",\"9f86d081884c7d659a2feaa0c55ad015\"]",
                     *               "label": "the test \"Checkout › rejects an expired card\" in \"unit_tests\" of \"ci\" (staging)",
                     *               "count": 1
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "overrides": [
                     *         {
                     *           "kind": "waiver",
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "reason": "verified by hand",
                     *           "expiresAt": "2026-05-04T10:00:00.000Z",
                     *           "conditions": [
                     *             {
                     *               "code": "approvals_missing",
                     *               "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *               "actor": "team",
                     *               "url": "https://github.com/acme/payments/pull/42",
                     *               "source": "organization",
                     *               "endsAt": "2026-05-04T10:00:00.000Z"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "scope": {
                     *         "status": "current",
                     *         "reason": "text",
                     *         "observedAt": "2026-05-04T10:00:00.000Z",
                     *         "issues": [
                     *           {
                     *             "number": 12,
                     *             "title": "Pay by card",
                     *             "state": "open",
                     *             "owners": [
                     *               "ada"
                     *             ],
                     *             "labels": [
                     *               "bug"
                     *             ],
                     *             "url": "https://github.com/acme/payments/issues/12"
                     *           }
                     *         ]
                     *       },
                     *       "evidence": [
                     *         {
                     *           "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "type": "unit_tests",
                     *           "environment": "staging",
                     *           "pipeline": "build and test",
                     *           "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "metrics": {
                     *             "unit_tests": {
                     *               "total": 12,
                     *               "passed": 12,
                     *               "failed": 0,
                     *               "skipped": 0
                     *             }
                     *           },
                     *           "status": "passed",
                     *           "failures": [],
                     *           "decides": true,
                     *           "runUrl": "https://github.com/acme/payments/pull/42",
                     *           "createdAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "moreEvidence": 0,
                     *       "checks": {
                     *         "status": "current",
                     *         "reason": "text",
                     *         "observedAt": "2026-05-04T10:00:00.000Z",
                     *         "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *         "reported": [
                     *           {
                     *             "name": "build",
                     *             "app": "github-actions",
                     *             "state": "success",
                     *             "url": "https://github.com/acme/payments/pull/42"
                     *           }
                     *         ]
                     *       },
                     *       "transitions": [
                     *         {
                     *           "from": "PLANNING",
                     *           "to": "PLANNING",
                     *           "cause": "evidence",
                     *           "actor": "service",
                     *           "at": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "policy": {
                     *         "status": "current",
                     *         "reason": "text",
                     *         "observedAt": "2026-05-04T10:00:00.000Z",
                     *         "state": "valid",
                     *         "digest": "text",
                     *         "rules": {
                     *           "name": "payments",
                     *           "releaseNaming": "semver-v-strict",
                     *           "hotfixBranchPatterns": [
                     *             "hotfix/**"
                     *           ],
                     *           "evidenceEvents": [],
                     *           "planning": {
                     *             "requireIssues": true,
                     *             "requireIssuesAssigned": true,
                     *             "sources": {
                     *               "requireIssues": "organization",
                     *               "requireIssuesAssigned": "organization"
                     *             }
                     *           },
                     *           "development": {
                     *             "branch": "main",
                     *             "deployTarget": "dev",
                     *             "soak": 86400,
                     *             "requiredChecks": [
                     *               {
                     *                 "source": "organization",
                     *                 "name": "build",
                     *                 "app": "github-actions",
                     *                 "allowSkipped": true
                     *               }
                     *             ],
                     *             "closedIssues": [
                     *               {
                     *                 "source": "organization",
                     *                 "exemptLabels": [
                     *                   "bug"
                     *                 ]
                     *               }
                     *             ]
                     *           },
                     *           "testing": {
                     *             "branchPattern": "release/**",
                     *             "deployTarget": "staging",
                     *             "soak": 86400,
                     *             "requiredChecks": [
                     *               {
                     *                 "source": "organization",
                     *                 "name": "build",
                     *                 "app": "github-actions",
                     *                 "allowSkipped": true
                     *               }
                     *             ],
                     *             "requiredArtifacts": [
                     *               {
                     *                 "source": "organization",
                     *                 "name": "api",
                     *                 "provenance": true,
                     *                 "builder": "github-hosted",
                     *                 "signerWorkflow": "acme/payments/.github/workflows/build.yml"
                     *               }
                     *             ]
                     *           },
                     *           "evidencing": {
                     *             "requiredEvidence": [
                     *               {
                     *                 "source": "organization",
                     *                 "kind": "unit_tests",
                     *                 "environment": "staging",
                     *                 "minTests": 1,
                     *                 "afterDeployment": true
                     *               }
                     *             ],
                     *             "requiredReviewers": [
                     *               {
                     *                 "source": "organization",
                     *                 "minApprovals": 2,
                     *                 "teams": [
                     *                   "release-managers"
                     *                 ],
                     *                 "excludeReleaseAuthors": true,
                     *                 "authorsMayObject": true
                     *               }
                     *             ]
                     *           },
                     *           "deployment": {
                     *             "target": "production",
                     *             "promotion": "manual",
                     *             "requiresEvidenceApproval": true,
                     *             "hold": {
                     *               "hours": 24,
                     *               "whenClosed": "wait"
                     *             }
                     *           },
                     *           "qualityGates": {
                     *             "coverage": {
                     *               "minLinePercent": 80,
                     *               "maxDrop": 1,
                     *               "sources": {
                     *                 "minLinePercent": "organization",
                     *                 "maxDrop": "organization"
                     *               }
                     *             },
                     *             "sastScan": {
                     *               "maxCritical": 0,
                     *               "maxHigh": 0,
                     *               "maxMedium": 0,
                     *               "maxLow": 0,
                     *               "sources": {
                     *                 "maxCritical": "organization",
                     *                 "maxHigh": "organization",
                     *                 "maxMedium": "organization",
                     *                 "maxLow": "organization"
                     *               }
                     *             },
                     *             "security": {
                     *               "maxCritical": 0,
                     *               "maxHigh": 0,
                     *               "maxMedium": 0,
                     *               "maxLow": 0,
                     *               "sources": {
                     *                 "maxCritical": "organization",
                     *                 "maxHigh": "organization",
                     *                 "maxMedium": "organization",
                     *                 "maxLow": "organization"
                     *               }
                     *             }
                     *           },
                     *           "freezes": [
                     *             {
                     *               "source": "organization",
                     *               "from": "2026-12-20",
                     *               "to": "2027-01-02",
                     *               "reason": "year end"
                     *             }
                     *           ]
                     *         },
                     *         "organizationKeys": [
                     *           "stages.deployment.target"
                     *         ]
                     *       },
                     *       "environments": [
                     *         {
                     *           "name": "staging",
                     *           "role": "development",
                     *           "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "commitUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "version": "v1.4.0",
                     *           "since": "2026-05-04T10:00:00.000Z",
                     *           "source": "github",
                     *           "runUrl": "https://github.com/acme/payments/pull/42",
                     *           "kind": "release",
                     *           "isCandidate": true,
                     *           "state": "not_deployed",
                     *           "soakSeconds": 3600,
                     *           "soakEndsAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "approvals": {
                     *         "status": "current",
                     *         "reason": "text",
                     *         "observedAt": "2026-05-04T10:00:00.000Z",
                     *         "required": 2,
                     *         "given": 1,
                     *         "reviews": [
                     *           {
                     *             "login": "ada",
                     *             "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4",
                     *             "userId": 1001,
                     *             "state": "approved",
                     *             "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *             "submittedAt": "2026-05-04T09:30:00Z",
                     *             "counts": true,
                     *             "reason": "ada wrote a commit of this release."
                     *           }
                     *         ],
                     *         "eligible": {
                     *           "teams": [
                     *             "release-managers"
                     *           ],
                     *           "users": [
                     *             {
                     *               "login": "ada",
                     *               "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4"
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "viewer": {
                     *         "permission": "read",
                     *         "canChangeScope": "yes",
                     *         "eligibility": {
                     *           "status": "eligible",
                     *           "login": "ada",
                     *           "reason": "ada may approve this release."
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReleaseDetails"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getApprovalRecord: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The decision with its reviews, evidence, overrides, published documents and deployments, by stored data. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "readAt": "2026-05-04T10:00:00.000Z",
                     *       "release": {
                     *         "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *         "org": "acme",
                     *         "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *         "repo": "payments",
                     *         "version": "v1.4.0",
                     *         "repoUrl": "https://github.com/acme/payments",
                     *         "title": "v1.4.0",
                     *         "stage": "PLANNING",
                     *         "outcome": "blocked",
                     *         "blockers": [
                     *           {
                     *             "code": "approvals_missing",
                     *             "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *             "actor": "team",
                     *             "url": "https://github.com/acme/payments/pull/42",
                     *             "source": "organization",
                     *             "endsAt": "2026-05-04T10:00:00.000Z",
                     *             "users": [
                     *               {
                     *                 "login": "ada",
                     *                 "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "moreBlockers": 0,
                     *         "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *         "candidateUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *         "evidencePrNumber": 42,
                     *         "evidencePrUrl": "https://github.com/acme/payments/pull/42",
                     *         "milestoneUrl": "https://github.com/acme/payments/milestone/7",
                     *         "milestoneNumber": 7,
                     *         "issues": {
                     *           "open": 2,
                     *           "closed": 14
                     *         },
                     *         "readiness": {
                     *           "status": "ready",
                     *           "observedAt": "2026-05-04T10:00:00.000Z",
                     *           "validUntil": "2026-05-04T14:32:00.000Z"
                     *         },
                     *         "dueOn": "2026-05-04T10:00:00.000Z",
                     *         "isOverdue": true,
                     *         "dueFreeze": {
                     *           "from": "2026-12-20",
                     *           "to": "2027-01-02",
                     *           "reason": "end of the year"
                     *         },
                     *         "updatedAt": "2026-05-04T10:00:00.000Z",
                     *         "deployedAt": "2026-05-04T10:00:00.000Z",
                     *         "cancelledAt": "2026-05-04T10:00:00.000Z"
                     *       },
                     *       "decision": {
                     *         "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *         "at": "2026-05-04T10:00:00.000Z",
                     *         "open": true,
                     *         "stage": "PLANNING",
                     *         "candidateSha": "text",
                     *         "policyDigest": "text",
                     *         "reasons": [
                     *           {
                     *             "code": "approvals_missing",
                     *             "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *             "actor": "team",
                     *             "url": "https://github.com/acme/payments/pull/42",
                     *             "source": "organization",
                     *             "endsAt": "2026-05-04T10:00:00.000Z"
                     *           }
                     *         ],
                     *         "overrides": [
                     *           {
                     *             "kind": "waiver",
                     *             "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *             "reason": "verified by hand",
                     *             "expiresAt": "2026-05-04T10:00:00.000Z",
                     *             "conditions": [
                     *               {
                     *                 "code": "approvals_missing",
                     *                 "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *                 "actor": "team",
                     *                 "url": "https://github.com/acme/payments/pull/42",
                     *                 "source": "organization",
                     *                 "endsAt": "2026-05-04T10:00:00.000Z"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "rules": "0.1.0",
                     *         "rulesChanged": true,
                     *         "setDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "stages": [
                     *           {
                     *             "met": [
                     *               {
                     *                 "code": "tests_passed",
                     *                 "detail": "The tests passed: 214 of them."
                     *               }
                     *             ],
                     *             "stage": "PLANNING"
                     *           }
                     *         ],
                     *         "approvals": {
                     *           "required": 2,
                     *           "given": 1,
                     *           "reviews": [
                     *             {
                     *               "login": "ada",
                     *               "state": "approved",
                     *               "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *               "submittedAt": "2026-05-04T09:30:00Z",
                     *               "counts": true,
                     *               "reason": "ada wrote a commit of this release."
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "evidence": [
                     *         {
                     *           "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "pipeline": "build and test",
                     *           "environment": "staging",
                     *           "job": "test (2, node 24)",
                     *           "runUrl": "https://github.com/acme/payments/pull/42",
                     *           "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "uploadedBy": "api_key",
                     *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "createdAt": "2026-05-04T10:00:00.000Z",
                     *           "types": [
                     *             "unit_tests"
                     *           ],
                     *           "metrics": {
                     *             "unit_tests": {
                     *               "total": 3,
                     *               "passed": 3,
                     *               "failed": 0,
                     *               "skipped": 0
                     *             }
                     *           },
                     *           "files": [
                     *             {
                     *               "name": "junit.xml",
                     *               "size": 2048,
                     *               "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *             }
                     *           ],
                     *           "moreFiles": 0
                     *         }
                     *       ],
                     *       "moreEvidence": 0,
                     *       "overrides": [
                     *         {
                     *           "kind": "waiver",
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "used": true,
                     *           "reason": "verified by hand",
                     *           "details": [
                     *             "The required check \"e2e\" failed."
                     *           ],
                     *           "sha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "requestedBy": "ada",
                     *           "requestedAt": "2026-05-04T10:00:00.000Z",
                     *           "confirmedBy": "bob",
                     *           "confirmedAt": "2026-05-04T10:00:00.000Z",
                     *           "withdrawnAt": "2026-05-04T10:00:00.000Z",
                     *           "expiresAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "pulls": [
                     *         {
                     *           "number": 42,
                     *           "url": "https://github.com/acme/payments/pull/42",
                     *           "openedAt": "2026-05-04T10:00:00.000Z",
                     *           "headSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "setDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "ofDecision": true,
                     *           "documents": [
                     *             {
                     *               "path": ".releases/v1.4.0/evidence.json",
                     *               "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *               "signature": {
                     *                 "algorithm": "Ed25519",
                     *                 "keyId": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                     *                 "value": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "deployments": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "repoUrl": "https://github.com/acme/payments",
                     *           "version": "v1.4.0",
                     *           "kind": "release",
                     *           "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "candidateUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "environment": "production",
                     *           "deployedAt": "2026-05-04T10:00:00.000Z",
                     *           "deployedBy": "ada",
                     *           "approvers": [
                     *             "rita"
                     *           ],
                     *           "decisionId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "score": 0,
                     *           "leadTimeSeconds": 86400,
                     *           "overrides": [
                     *             {
                     *               "kind": "waiver",
                     *               "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *               "reason": "verified by hand",
                     *               "expiresAt": "2026-05-04T10:00:00.000Z",
                     *               "conditions": [
                     *                 {
                     *                   "code": "approvals_missing",
                     *                   "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *                   "actor": "team",
                     *                   "url": "https://github.com/acme/payments/pull/42",
                     *                   "source": "organization",
                     *                   "endsAt": "2026-05-04T10:00:00.000Z"
                     *                 }
                     *               ],
                     *               "requestedBy": "ada",
                     *               "confirmedBy": "bob"
                     *             }
                     *           ],
                     *           "source": "github",
                     *           "keyName": "Jenkins",
                     *           "runUrl": "https://jenkins.example/job/payments/412/",
                     *           "note": "deployed while GitHub was down"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ApprovalRecord"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listArtifacts: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The artifacts with the results of their bundles. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "artifacts": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "name": "api",
                     *           "digest": "sha256:4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e",
                     *           "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "commitSource": "token",
                     *           "runId": "8123456789",
                     *           "binding": "pending",
                     *           "accepted": true,
                     *           "receivedAt": "2026-05-04T10:00:00.000Z",
                     *           "bundles": [
                     *             {
                     *               "sha256": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *               "status": "pending",
                     *               "reason": "It was built in the repository with the id 7, not in this one.",
                     *               "provenance": {
                     *                 "sourceSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *                 "runId": "8123456789",
                     *                 "runnerEnvironment": "github-hosted",
                     *                 "signerWorkflow": "acme/payments/.github/workflows/build.yml"
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ArtifactList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    downloadAuditPack: {
        parameters: {
            query?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                workspace?: string;
            };
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A zip file. `shipgate verify-pack` verifies it offline, and its README.txt describes the content. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example PK */
                    "application/zip": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listBreakGlassRequests: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requests, without withdrawn and expired ones. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "breakGlass": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "reason": "verified by hand",
                     *           "requestedAt": "2026-05-04T10:00:00.000Z",
                     *           "requestedBy": "ada",
                     *           "requestedById": 583231,
                     *           "confirmedBy": "bob",
                     *           "confirmedById": 1024025,
                     *           "expiresAt": "2026-05-04T10:00:00.000Z",
                     *           "sha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BreakGlassRequests"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    requestBreakGlass: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                 *       "reason": "Payments are down; this is the fix."
                 *     }
                 */
                "application/json": components["schemas"]["CreateBreakGlassRequest"];
            };
        };
        responses: {
            /** @description The request. It has no effect before another admin confirms it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "reason": "verified by hand",
                     *       "requestedAt": "2026-05-04T10:00:00.000Z",
                     *       "requestedBy": "ada",
                     *       "requestedById": 583231,
                     *       "confirmedBy": "bob",
                     *       "confirmedById": 1024025,
                     *       "expiresAt": "2026-05-04T10:00:00.000Z",
                     *       "sha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392"
                     *     }
                     */
                    "application/json": components["schemas"]["BreakGlassRequest"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    withdrawBreakGlass: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
                /** @description The id of the request. */
                requestId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has no effect any more, and the release was evaluated again. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    confirmBreakGlass: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
                /** @description The id of the request. */
                requestId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gate is open for the commit for up to 4 hours, unless a condition closes it that cannot be overridden. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "reason": "verified by hand",
                     *       "requestedAt": "2026-05-04T10:00:00.000Z",
                     *       "requestedBy": "ada",
                     *       "requestedById": 583231,
                     *       "confirmedBy": "bob",
                     *       "confirmedById": 1024025,
                     *       "expiresAt": "2026-05-04T10:00:00.000Z",
                     *       "sha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392"
                     *     }
                     */
                    "application/json": components["schemas"]["BreakGlassRequest"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    confirmPendingBreakGlass: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gate is open for the commit for up to 4 hours, unless a condition closes it that cannot be overridden. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "reason": "verified by hand",
                     *       "requestedAt": "2026-05-04T10:00:00.000Z",
                     *       "requestedBy": "ada",
                     *       "requestedById": 583231,
                     *       "confirmedBy": "bob",
                     *       "confirmedById": 1024025,
                     *       "expiresAt": "2026-05-04T10:00:00.000Z",
                     *       "sha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392"
                     *     }
                     */
                    "application/json": components["schemas"]["BreakGlassRequest"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listDecisions: {
        parameters: {
            query?: {
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The decisions, newest first: each verdict that differs from the one before it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "decisions": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "at": "2026-05-04T10:00:00.000Z",
                     *           "open": true,
                     *           "stage": "PLANNING",
                     *           "candidateSha": "text",
                     *           "policyDigest": "text",
                     *           "reasons": [
                     *             {
                     *               "code": "approvals_missing",
                     *               "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *               "actor": "team",
                     *               "url": "https://github.com/acme/payments/pull/42",
                     *               "source": "organization",
                     *               "endsAt": "2026-05-04T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "overrides": [
                     *             {
                     *               "kind": "waiver",
                     *               "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *               "reason": "verified by hand",
                     *               "expiresAt": "2026-05-04T10:00:00.000Z",
                     *               "conditions": [
                     *                 {
                     *                   "code": "approvals_missing",
                     *                   "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *                   "actor": "team",
                     *                   "url": "https://github.com/acme/payments/pull/42",
                     *                   "source": "organization",
                     *                   "endsAt": "2026-05-04T10:00:00.000Z"
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Decisions"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getDecision: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the decision. */
                decisionId: string;
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The decision as it was stored. Decisions never change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "at": "2026-05-04T10:00:00.000Z",
                     *       "open": true,
                     *       "stage": "PLANNING",
                     *       "candidateSha": "text",
                     *       "policyDigest": "text",
                     *       "reasons": [
                     *         {
                     *           "code": "approvals_missing",
                     *           "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *           "actor": "team",
                     *           "url": "https://github.com/acme/payments/pull/42",
                     *           "source": "organization",
                     *           "endsAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "overrides": [
                     *         {
                     *           "kind": "waiver",
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "reason": "verified by hand",
                     *           "expiresAt": "2026-05-04T10:00:00.000Z",
                     *           "conditions": [
                     *             {
                     *               "code": "approvals_missing",
                     *               "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *               "actor": "team",
                     *               "url": "https://github.com/acme/payments/pull/42",
                     *               "source": "organization",
                     *               "endsAt": "2026-05-04T10:00:00.000Z"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "rules": "0.1.0",
                     *       "rulesChanged": true,
                     *       "verdict": {
                     *         "stage": "EVIDENCING"
                     *       },
                     *       "inputs": {
                     *         "now": "2026-05-04T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DecisionDetail"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    replayDecision: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the decision. */
                decisionId: string;
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the replay gives the stored verdict. Nothing is changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rules": "0.1.0",
                     *       "agrees": true,
                     *       "differences": [],
                     *       "verdict": {
                     *         "stage": "EVIDENCING"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listReleaseDeployments: {
        parameters: {
            query?: {
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the deployments of its candidate and of those reported for it, to every environment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deployments": [
                     *         {
                     *           "id": "github:1234567",
                     *           "environment": "production",
                     *           "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "commitUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "status": "started",
                     *           "startedAt": "2026-05-04T10:00:00.000Z",
                     *           "succeededAt": "2026-05-04T10:00:00.000Z",
                     *           "source": "github",
                     *           "keyName": "Jenkins",
                     *           "runUrl": "https://github.com/acme/payments/pull/42",
                     *           "canDeploy": true,
                     *           "kind": "release"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReleaseDeployments"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listEvidence: {
        parameters: {
            query?: {
                /** @description `true`: only items that the verdict uses. `false`: only the others. */
                decides?: "true" | "false";
                /** @description The exact environment. */
                environment?: string;
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description The kind of evidence. */
                type?: "unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom";
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The evidence items of all uploads that match the filters. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "evidence": [
                     *         {
                     *           "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "type": "unit_tests",
                     *           "environment": "staging",
                     *           "pipeline": "build and test",
                     *           "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "metrics": {
                     *             "unit_tests": {
                     *               "total": 12,
                     *               "passed": 12,
                     *               "failed": 0,
                     *               "skipped": 0
                     *             }
                     *           },
                     *           "status": "passed",
                     *           "failures": [],
                     *           "decides": true,
                     *           "runUrl": "https://github.com/acme/payments/pull/42",
                     *           "createdAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EvidenceList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    reopenEvidencePullRequest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Another pull request is being opened. Approvals of the closed one do not count. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "status": "opening"
                     *     }
                     */
                    "application/json": components["schemas"]["EvidencePullStarted"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    refreshRelease: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The refresh runs in the background. A change is announced by the event `release.updated`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "status": "running"
                     *     }
                     */
                    "application/json": components["schemas"]["RefreshStarted"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    changeScope: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "link",
                 *       "number": 42,
                 *       "assignee": "grace"
                 *     }
                 */
                "application/json": components["schemas"]["ScopeChangeRequest"];
            };
        };
        responses: {
            /** @description GitHub has the change, made as the user who requested it or before. A repetition is safe. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "saved": true,
                     *       "synced": true
                     *     }
                     */
                    "application/json": components["schemas"]["ScopeChangeResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listAssignees: {
        parameters: {
            query?: {
                /** @description A part of the login or of the name. */
                search?: string;
            };
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read from GitHub as the user. Among the first 1,000 users whom GitHub lists. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "users": [
                     *         {
                     *           "login": "grace",
                     *           "name": "Grace Hopper",
                     *           "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ScopeAssignees"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listScopeCandidates: {
        parameters: {
            query?: {
                /** @description The beginning of the number, with or without `#`, or a part of the title. */
                search?: string;
            };
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Open issues of the repository without a milestone, read from GitHub as the user. Among the 1,000 newest issues and pull requests without a milestone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issues": [
                     *         {
                     *           "number": 42,
                     *           "title": "Pay by card",
                     *           "labels": [
                     *             "enhancement"
                     *           ],
                     *           "url": "https://github.com/acme/payments/issues/42"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ScopeCandidates"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    startRelease: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The release. Starting it again changes nothing. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "org": "acme",
                     *       "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "repo": "payments",
                     *       "version": "v1.4.0",
                     *       "repoUrl": "https://github.com/acme/payments",
                     *       "title": "v1.4.0",
                     *       "stage": "PLANNING",
                     *       "outcome": "blocked",
                     *       "blockers": [
                     *         {
                     *           "code": "approvals_missing",
                     *           "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *           "actor": "team",
                     *           "url": "https://github.com/acme/payments/pull/42",
                     *           "source": "organization",
                     *           "endsAt": "2026-05-04T10:00:00.000Z",
                     *           "users": [
                     *             {
                     *               "login": "ada",
                     *               "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "moreBlockers": 0,
                     *       "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "candidateUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "evidencePrNumber": 42,
                     *       "evidencePrUrl": "https://github.com/acme/payments/pull/42",
                     *       "milestoneUrl": "https://github.com/acme/payments/milestone/7",
                     *       "milestoneNumber": 7,
                     *       "issues": {
                     *         "open": 2,
                     *         "closed": 14
                     *       },
                     *       "readiness": {
                     *         "status": "ready",
                     *         "observedAt": "2026-05-04T10:00:00.000Z",
                     *         "validUntil": "2026-05-04T14:32:00.000Z"
                     *       },
                     *       "dueOn": "2026-05-04T10:00:00.000Z",
                     *       "isOverdue": true,
                     *       "dueFreeze": {
                     *         "from": "2026-12-20",
                     *         "to": "2027-01-02",
                     *         "reason": "end of the year"
                     *       },
                     *       "updatedAt": "2026-05-04T10:00:00.000Z",
                     *       "deployedAt": "2026-05-04T10:00:00.000Z",
                     *       "cancelledAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getStatement: {
        parameters: {
            query?: {
                /** @description The digest of an artifact. Without it the statement is about the candidate commit alone. */
                digest?: string;
                /** @description The environment of the deployment, ignoring case; the target of the policy by default. */
                environment?: string;
            };
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer of the gate, signed by the service. A closed gate, and a digest that is not an accepted artifact of the candidate, give the result FAILED. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "payloadType": "application/vnd.in-toto+json",
                     *       "payload": "text",
                     *       "signatures": [
                     *         {
                     *           "keyid": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                     *           "sig": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Statement"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listWaivers: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The waivers, without withdrawn and expired ones. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "waivers": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "reason": "verified by hand",
                     *           "requestedAt": "2026-05-04T10:00:00.000Z",
                     *           "requestedBy": "ada",
                     *           "requestedById": 583231,
                     *           "confirmedBy": "bob",
                     *           "confirmedById": 1024025,
                     *           "expiresAt": "2026-05-04T10:00:00.000Z",
                     *           "condition": "scope_empty",
                     *           "subjects": [
                     *             {
                     *               "id": "[\"test\",\"ci\",\"unit_tests\",\"staging\",\"9f86d081884c7d659a2feaa0c55ad015\"]",
                     *               "label": "the test \"Checkout › rejects an expired card\" in \"unit_tests\" of \"ci\" (staging)",
                     *               "count": 1
                     *             }
                     *           ],
                     *           "details": [
                     *             "The required check \"e2e\" failed."
                     *           ],
                     *           "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Waivers"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    requestWaiver: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "condition": "check_failing",
                 *       "reason": "The e2e environment is down; verified by hand.",
                 *       "expiresAt": "2026-05-06T18:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWaiver"];
            };
        };
        responses: {
            /** @description The request. It has no effect before another admin confirms it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "reason": "verified by hand",
                     *       "requestedAt": "2026-05-04T10:00:00.000Z",
                     *       "requestedBy": "ada",
                     *       "requestedById": 583231,
                     *       "confirmedBy": "bob",
                     *       "confirmedById": 1024025,
                     *       "expiresAt": "2026-05-04T10:00:00.000Z",
                     *       "condition": "scope_empty",
                     *       "subjects": [
                     *         {
                     *           "id": "[\"test\",\"ci\",\"unit_tests\",\"staging\",\"9f86d081884c7d659a2feaa0c55ad015\"]",
                     *           "label": "the test \"Checkout › rejects an expired card\" in \"unit_tests\" of \"ci\" (staging)",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "details": [
                     *         "The required check \"e2e\" failed."
                     *       ],
                     *       "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392"
                     *     }
                     */
                    "application/json": components["schemas"]["Waiver"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    withdrawWaiver: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
                /** @description The id of the waiver. */
                waiverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The waiver has no effect any more, and the release was evaluated again. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    confirmWaiver: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
                /** @description The id of the waiver. */
                waiverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The waiver is in effect, and the release was evaluated again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "reason": "verified by hand",
                     *       "requestedAt": "2026-05-04T10:00:00.000Z",
                     *       "requestedBy": "ada",
                     *       "requestedById": 583231,
                     *       "confirmedBy": "bob",
                     *       "confirmedById": 1024025,
                     *       "expiresAt": "2026-05-04T10:00:00.000Z",
                     *       "condition": "scope_empty",
                     *       "subjects": [
                     *         {
                     *           "id": "[\"test\",\"ci\",\"unit_tests\",\"staging\",\"9f86d081884c7d659a2feaa0c55ad015\"]",
                     *           "label": "the test \"Checkout › rejects an expired card\" in \"unit_tests\" of \"ci\" (staging)",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "details": [
                     *         "The required check \"e2e\" failed."
                     *       ],
                     *       "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392"
                     *     }
                     */
                    "application/json": components["schemas"]["Waiver"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listReleases: {
        parameters: {
            query?: {
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description A part of a version. */
                search?: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The organization's login, ignoring case. */
                owner: string;
                /** @description The repository's name, ignoring case. */
                repo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The releases by stored facts, newest version first. Stale facts are refreshed in the background. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "milestones": [
                     *         {
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "version": "v1.4.0",
                     *           "repoUrl": "https://github.com/acme/payments",
                     *           "title": "v1.4.0",
                     *           "stage": "PLANNING",
                     *           "outcome": "blocked",
                     *           "blockers": [
                     *             {
                     *               "code": "approvals_missing",
                     *               "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *               "actor": "team",
                     *               "url": "https://github.com/acme/payments/pull/42",
                     *               "source": "organization",
                     *               "endsAt": "2026-05-04T10:00:00.000Z",
                     *               "users": [
                     *                 {
                     *                   "login": "ada",
                     *                   "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4"
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "moreBlockers": 0,
                     *           "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "candidateUrl": "https://github.com/acme/payments/commit/4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *           "evidencePrNumber": 42,
                     *           "evidencePrUrl": "https://github.com/acme/payments/pull/42",
                     *           "milestoneUrl": "https://github.com/acme/payments/milestone/7",
                     *           "milestoneNumber": 7,
                     *           "issues": {
                     *             "open": 2,
                     *             "closed": 14
                     *           },
                     *           "readiness": {
                     *             "status": "ready",
                     *             "observedAt": "2026-05-04T10:00:00.000Z",
                     *             "validUntil": "2026-05-04T14:32:00.000Z"
                     *           },
                     *           "dueOn": "2026-05-04T10:00:00.000Z",
                     *           "isOverdue": true,
                     *           "dueFreeze": {
                     *             "from": "2026-12-20",
                     *             "to": "2027-01-02",
                     *             "reason": "end of the year"
                     *           },
                     *           "updatedAt": "2026-05-04T10:00:00.000Z",
                     *           "deployedAt": "2026-05-04T10:00:00.000Z",
                     *           "cancelledAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReleaseList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    checkGate: {
        parameters: {
            query: {
                /**
                 * @description Checks one artifact: `can_deploy` is false unless the policy accepts it for the candidate. Without `version` it leads to the release that
                 *     has it and has not shipped, else to the one that shipped last.
                 */
                digest?: string;
                /**
                 * @description The environment of the deployment, ignoring case. Without it, the target of the policy. For an environment before the target,
                 *     `can_deploy` is true if the stage that names it is reached, whatever that stage and later ones still need.
                 */
                environment?: string;
                /** @description `true` adds the candidate, the decision and every unmet condition to the response. */
                explain?: "true" | "false";
                /** @description The repository, as `name` or `owner/name`. */
                repo: string;
                /** @description Checks one commit: `can_deploy` is false unless it is the candidate. */
                sha?: string;
                /** @description The version of the release, exactly as in the title of its milestone. Required without `digest`. */
                version?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the release may be deployed now. A fact that is not known closes the gate. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "v1.4.0",
                     *       "current_stage": "EVIDENCING",
                     *       "evidence_pr_approved": false,
                     *       "tests_passing": true,
                     *       "can_deploy": false
                     *     }
                     */
                    "application/json": components["schemas"]["GateResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    resolveRelease: {
        parameters: {
            query: {
                /** @description The branch or tag that the run builds, as `refs/heads/…`, `refs/tags/…`, or its name alone. */
                ref: string;
                /** @description The repository, as `name` or `owner/name`. */
                repo: string;
                /** @description The commit that the run builds. It selects one of several open releases if it is the candidate of only that one. */
                sha?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The release by the naming and the branch patterns of the policy: the version in a tag or a release branch, or the only open release of the development branch. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "v1.4.0",
                     *       "because": "\"refs/heads/main\" is the development branch, and one open release is built from it."
                     *     }
                     */
                    "application/json": components["schemas"]["ReleaseResolution"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0",
                     *       "info": {
                     *         "title": "Shipgate",
                     *         "version": "1.0.0"
                     *       },
                     *       "paths": {}
                     *     }
                     */
                    "application/json": {
                        info: Record<string, never>;
                        openapi: string;
                        paths: Record<string, never>;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listOverrides: {
        parameters: {
            query?: {
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description `waiting`: requests that a second admin can confirm. `in_force`: confirmed ones. If absent, both. */
                state?: "waiting" | "in_force";
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the overrides of the releases that you can read. Without `page` and `pageSize` it is the first page. Overrides of releases that are shipped or cancelled or have another candidate are left out. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "overrides": [
                     *         {
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "version": "v1.4.0",
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "reason": "verified by hand",
                     *           "requestedAt": "2026-05-04T10:00:00.000Z",
                     *           "requestedBy": "ada",
                     *           "requestedById": 583231,
                     *           "confirmedBy": "bob",
                     *           "confirmedById": 1024025,
                     *           "expiresAt": "2026-05-04T10:00:00.000Z",
                     *           "kind": "waiver",
                     *           "condition": "scope_empty",
                     *           "subjects": [
                     *             {
                     *               "id": "[\"test\",\"ci\",\"unit_tests\",\"staging\",\"9f86d081884c7d659a2feaa0c55ad015\"]",
                     *               "label": "the test \"Checkout › rejects an expired card\" in \"unit_tests\" of \"ci\" (staging)",
                     *               "count": 1
                     *             }
                     *           ],
                     *           "details": [
                     *             "The required check \"e2e\" failed."
                     *           ],
                     *           "sha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["OverrideList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listUpgradeRequests: {
        parameters: {
            query?: {
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description Empty or absent: all. */
                status?: "" | "open" | "approved" | "rejected" | "withdrawn";
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requests": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "status": "open",
                     *           "note": "Invoice to purchase order 4711",
                     *           "requestedBy": "ada",
                     *           "requestedAt": "2026-05-04T10:00:00.000Z",
                     *           "decidedAt": "2026-05-04T10:00:00.000Z",
                     *           "paymentReference": "INV-2026-0815",
                     *           "reason": "The purchase order is unknown.",
                     *           "org": "acme"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UpgradeRequestList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    approveUpgradeRequest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "paymentReference": "INV-2026-0815"
                 *     }
                 */
                "application/json": components["schemas"]["ApproveUpgradeRequest"];
            };
        };
        responses: {
            /** @description The workspace is on the pro plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "status": "open",
                     *       "note": "Invoice to purchase order 4711",
                     *       "requestedBy": "ada",
                     *       "requestedAt": "2026-05-04T10:00:00.000Z",
                     *       "decidedAt": "2026-05-04T10:00:00.000Z",
                     *       "paymentReference": "INV-2026-0815",
                     *       "reason": "The purchase order is unknown.",
                     *       "org": "acme"
                     *     }
                     */
                    "application/json": components["schemas"]["PlatformUpgradeRequest"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    rejectUpgradeRequest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The purchase order is unknown."
                 *     }
                 */
                "application/json": components["schemas"]["ReasonBody"];
            };
        };
        responses: {
            /** @description The request is rejected with this reason. The plan does not change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "status": "open",
                     *       "note": "Invoice to purchase order 4711",
                     *       "requestedBy": "ada",
                     *       "requestedAt": "2026-05-04T10:00:00.000Z",
                     *       "decidedAt": "2026-05-04T10:00:00.000Z",
                     *       "paymentReference": "INV-2026-0815",
                     *       "reason": "The purchase order is unknown.",
                     *       "org": "acme"
                     *     }
                     */
                    "application/json": components["schemas"]["PlatformUpgradeRequest"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listWorkspaceUsage: {
        parameters: {
            query?: {
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description A part of the login of the organization, in any case. */
                search?: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the workspaces, the first without `page`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workspaces": [
                     *         {
                     *           "org": "acme",
                     *           "plan": "free",
                     *           "managedRepositories": {
                     *             "used": 2,
                     *             "limit": 3
                     *           },
                     *           "storage": {
                     *             "used": 73400320,
                     *             "limit": 1073741824
                     *           }
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceUsageList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    downgradeWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The login of the organization, in any case. */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The purchase order is unknown."
                 *     }
                 */
                "application/json": components["schemas"]["ReasonBody"];
            };
        };
        responses: {
            /** @description The managed repositories stay managed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "org": "acme",
                     *       "plan": "free"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspacePlan"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    checkPolicy: {
        parameters: {
            query: {
                /** @description The repository, as `name` or `owner/name`. */
                repo: string;
                /** @description The commit. The default is the commit of the run, or the head of the default branch for an API key. */
                sha?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result as if the commit were the head of the default branch, with the organization default. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "valid",
                     *       "problems": [
                     *         {
                     *           "line": 7,
                     *           "column": 5,
                     *           "key": "stages.testing.required_chekcs",
                     *           "message": "There is no such key; required_checks is one."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PolicyCheck"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description The login of the organization, in any case. Another organization than that of the workspace matches no project. */
                org?: string;
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description A part of a project's name or description, of a version, or of a repository's name; of `owner/name` where it has a slash. */
                search?: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The projects with the repositories that you can read, by stored facts. Stale facts are refreshed in the background. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projects": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "name": "Checkout 2",
                     *           "description": "The new checkout, in the shop and in the apps.",
                     *           "targetDate": "2026-09-30",
                     *           "repos": [
                     *             {
                     *               "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *               "repo": "payments",
                     *               "release": {
                     *                 "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *                 "version": "v1.4.0",
                     *                 "stage": "PLANNING",
                     *                 "outcome": "blocked",
                     *                 "validUntil": "2026-05-04T14:32:00.000Z"
                     *               }
                     *             }
                     *           ],
                     *           "outcome": "blocked",
                     *           "counts": {
                     *             "all": 0,
                     *             "blocked": 0,
                     *             "needs_approval": 0,
                     *             "ready_to_deploy": 0,
                     *             "in_progress": 0
                     *           },
                     *           "createdAt": "2026-05-04T10:00:00.000Z",
                     *           "updatedAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Projects"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "The new checkout, in the shop and in the apps.",
                 *       "targetDate": "2026-09-30",
                 *       "name": "Checkout 2"
                 *     }
                 */
                "application/json": components["schemas"]["CreateProject"];
            };
        };
        responses: {
            /** @description The project, without repositories. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "org": "acme",
                     *       "name": "Checkout 2",
                     *       "description": "The new checkout, in the shop and in the apps.",
                     *       "targetDate": "2026-09-30",
                     *       "repos": [
                     *         {
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "release": {
                     *             "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *             "version": "v1.4.0",
                     *             "stage": "PLANNING",
                     *             "outcome": "blocked",
                     *             "validUntil": "2026-05-04T14:32:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "outcome": "blocked",
                     *       "counts": {
                     *         "all": 0,
                     *         "blocked": 0,
                     *         "needs_approval": 0,
                     *         "ready_to_deploy": 0,
                     *         "in_progress": 0
                     *       },
                     *       "createdAt": "2026-05-04T10:00:00.000Z",
                     *       "updatedAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "org": "acme",
                     *       "name": "Checkout 2",
                     *       "description": "The new checkout, in the shop and in the apps.",
                     *       "targetDate": "2026-09-30",
                     *       "repos": [
                     *         {
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "release": {
                     *             "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *             "version": "v1.4.0",
                     *             "stage": "PLANNING",
                     *             "outcome": "blocked",
                     *             "validUntil": "2026-05-04T14:32:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "outcome": "blocked",
                     *       "counts": {
                     *         "all": 0,
                     *         "blocked": 0,
                     *         "needs_approval": 0,
                     *         "ready_to_deploy": 0,
                     *         "in_progress": 0
                     *       },
                     *       "createdAt": "2026-05-04T10:00:00.000Z",
                     *       "updatedAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    deleteProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is deleted. Its repositories and their releases do not change. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "The new checkout, in the shop and in the apps.",
                 *       "targetDate": "2026-09-30",
                 *       "name": "Checkout 2"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateProject"];
            };
        };
        responses: {
            /** @description The changed project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "org": "acme",
                     *       "name": "Checkout 2",
                     *       "description": "The new checkout, in the shop and in the apps.",
                     *       "targetDate": "2026-09-30",
                     *       "repos": [
                     *         {
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "release": {
                     *             "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *             "version": "v1.4.0",
                     *             "stage": "PLANNING",
                     *             "outcome": "blocked",
                     *             "validUntil": "2026-05-04T14:32:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "outcome": "blocked",
                     *       "counts": {
                     *         "all": 0,
                     *         "blocked": 0,
                     *         "needs_approval": 0,
                     *         "ready_to_deploy": 0,
                     *         "in_progress": 0
                     *       },
                     *       "createdAt": "2026-05-04T10:00:00.000Z",
                     *       "updatedAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    linkRelease: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the project. */
                id: string;
                /** @description The id of the repository. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b"
                 *     }
                 */
                "application/json": components["schemas"]["LinkRepository"];
            };
        };
        responses: {
            /** @description The changed project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "org": "acme",
                     *       "name": "Checkout 2",
                     *       "description": "The new checkout, in the shop and in the apps.",
                     *       "targetDate": "2026-09-30",
                     *       "repos": [
                     *         {
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "release": {
                     *             "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *             "version": "v1.4.0",
                     *             "stage": "PLANNING",
                     *             "outcome": "blocked",
                     *             "validUntil": "2026-05-04T14:32:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "outcome": "blocked",
                     *       "counts": {
                     *         "all": 0,
                     *         "blocked": 0,
                     *         "needs_approval": 0,
                     *         "ready_to_deploy": 0,
                     *         "in_progress": 0
                     *       },
                     *       "createdAt": "2026-05-04T10:00:00.000Z",
                     *       "updatedAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    unlinkRelease: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the project. */
                id: string;
                /** @description The id of the repository. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The repository does not belong to the project any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listQuality: {
        parameters: {
            query?: {
                /** @description The exact environment. */
                environment?: string;
                /** @description The exact version of the release. */
                milestone?: string;
                /** @description The organization, ignoring case. */
                owner?: string;
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description The repository without its owner, ignoring case. */
                repo?: string;
                /** @description With `none`, `results` of each release is empty and `moreResults` counts all of them. The scorecard does not change. */
                results?: "all" | "none";
                /** @description The kind of evidence of which the release has a result. If `environment` is sent too, one result must match both. */
                type?: "unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom";
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The releases with evidence, of the repositories that you can read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "version": "v1.4.0",
                     *           "stage": "PLANNING",
                     *           "scorecard": {
                     *             "score": 92.4,
                     *             "grade": "A",
                     *             "categories": [
                     *               {
                     *                 "name": "tests",
                     *                 "weight": 40,
                     *                 "score": 99.5,
                     *                 "status": "passed",
                     *                 "detail": "199 of 200 tests passed; 0 were flaky, and 3 skipped."
                     *               }
                     *             ],
                     *             "incomplete": [
                     *               "tests"
                     *             ],
                     *             "caps": [
                     *               {
                     *                 "grade": "A",
                     *                 "reason": "A critical finding is open."
                     *               }
                     *             ]
                     *           },
                     *           "change": {
                     *             "against": {
                     *               "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *               "version": "v1.4.0"
                     *             },
                     *             "score": -1.5,
                     *             "coverage": 0.25,
                     *             "tests": {
                     *               "newFailures": {
                     *                 "count": 1,
                     *                 "names": [
                     *                   "payments › pays › refuses an expired card"
                     *                 ]
                     *               },
                     *               "fixedTests": {
                     *                 "count": 1,
                     *                 "names": [
                     *                   "payments › pays › refuses an expired card"
                     *                 ]
                     *               },
                     *               "lostTests": {
                     *                 "count": 1,
                     *                 "names": [
                     *                   "payments › pays › refuses an expired card"
                     *                 ]
                     *               }
                     *             }
                     *           },
                     *           "flaky": {
                     *             "count": 1,
                     *             "names": [
                     *               "payments › pays › refuses an expired card"
                     *             ],
                     *             "rate": 0.01
                     *           },
                     *           "comparison": "known",
                     *           "earlierScores": [
                     *             88.5,
                     *             null,
                     *             92.4
                     *           ],
                     *           "results": [
                     *             {
                     *               "evidenceId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *               "type": "unit_tests",
                     *               "environment": "staging",
                     *               "pipeline": "build and test",
                     *               "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *               "metrics": {
                     *                 "unit_tests": {
                     *                   "total": 12,
                     *                   "passed": 12,
                     *                   "failed": 0,
                     *                   "skipped": 0
                     *                 }
                     *               },
                     *               "status": "passed",
                     *               "decides": true,
                     *               "createdAt": "2026-05-04T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "moreResults": 0
                     *         }
                     *       ],
                     *       "choices": {
                     *         "owners": [
                     *           "acme"
                     *         ],
                     *         "repos": [
                     *           "payments"
                     *         ],
                     *         "milestones": [
                     *           "v1.4.0"
                     *         ],
                     *         "types": [
                     *           "unit_tests"
                     *         ],
                     *         "environments": [
                     *           "staging"
                     *         ]
                     *       },
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Quality"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    exportQuality: {
        parameters: {
            query: {
                /** @description The exact environment. */
                environment?: string;
                /** @description The format of the file. */
                format: "csv" | "html" | "xlsx";
                /** @description The exact version of the release. */
                milestone?: string;
                /** @description The organization, ignoring case. */
                owner?: string;
                /** @description The repository without its owner, ignoring case. */
                repo?: string;
                /** @description The kind of evidence of which the release has a result. If `environment` is sent too, one result must match both. */
                type?: "unit_tests" | "integration_tests" | "e2e_tests" | "coverage" | "sast_scan" | "security" | "sbom" | "performance" | "manual" | "custom";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                workspace?: string;
            };
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A CSV file with one row per result, an HTML report without external resources, or a workbook. It contains the repositories that the user can read, in the order of `/api/quality`. A download that ends early is incomplete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example text */
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    /** @example text */
                    "text/csv": string;
                    /** @example text */
                    "text/html": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listRepositories: {
        parameters: {
            query?: {
                /** @description `true`: only repositories with a warning of `GET /api/config/repo-warnings`. */
                attention?: "true" | "false";
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description A part of the name of an organization or a repository, or of `owner/name`. */
                search?: string;
                /** @description Only repositories in this state. */
                setupState?: "NOT_STARTED" | "PR_OPEN" | "MERGED" | "PROTECTION_PENDING" | "PROTECTION_FAILED" | "COMPLETE" | "LEGACY" | "SUSPENDED" | "REMOVED";
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The repositories that you can read, by name: an array, or a page if the request has `page` or `pageSize`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *         "org": "acme",
                     *         "name": "payments",
                     *         "fullName": "acme/payments",
                     *         "private": true,
                     *         "defaultBranch": "main",
                     *         "url": "https://github.com/acme/payments",
                     *         "managed": true,
                     *         "setupState": "NOT_STARTED",
                     *         "setup": {
                     *           "prNumber": 12,
                     *           "prUrl": "https://github.com/acme/payments/pull/12",
                     *           "tokenNeeded": true
                     *         },
                     *         "protection": {
                     *           "status": "unknown",
                     *           "detail": "text",
                     *           "tokenNeeded": true
                     *         },
                     *         "integrity": {
                     *           "status": "intact",
                     *           "files": [
                     *             {
                     *               "path": ".github/workflows/shipgate-enforce.yml",
                     *               "branch": "main"
                     *             }
                     *           ],
                     *           "issueUrl": "https://github.com/acme/payments/pull/42",
                     *           "since": "2026-05-04T10:00:00.000Z"
                     *         },
                     *         "workflow": {
                     *           "status": "UP_TO_DATE",
                     *           "installedRevision": "91c07e5a2b6d4f38",
                     *           "targetRevision": "4be2c1d09f37a865",
                     *           "prNumber": 1,
                     *           "prUrl": "https://github.com/acme/payments/pull/42"
                     *         },
                     *         "lastSyncedAt": "2026-05-04T10:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Repository"][] | components["schemas"]["RepositoryList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getRepository: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the repository. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The repository as in the list, by stored values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "org": "acme",
                     *       "name": "payments",
                     *       "fullName": "acme/payments",
                     *       "private": true,
                     *       "defaultBranch": "main",
                     *       "url": "https://github.com/acme/payments",
                     *       "managed": true,
                     *       "setupState": "NOT_STARTED",
                     *       "setup": {
                     *         "prNumber": 12,
                     *         "prUrl": "https://github.com/acme/payments/pull/12",
                     *         "tokenNeeded": true
                     *       },
                     *       "protection": {
                     *         "status": "unknown",
                     *         "detail": "text",
                     *         "tokenNeeded": true
                     *       },
                     *       "integrity": {
                     *         "status": "intact",
                     *         "files": [
                     *           {
                     *             "path": ".github/workflows/shipgate-enforce.yml",
                     *             "branch": "main"
                     *           }
                     *         ],
                     *         "issueUrl": "https://github.com/acme/payments/pull/42",
                     *         "since": "2026-05-04T10:00:00.000Z"
                     *       },
                     *       "workflow": {
                     *         "status": "UP_TO_DATE",
                     *         "installedRevision": "91c07e5a2b6d4f38",
                     *         "targetRevision": "4be2c1d09f37a865",
                     *         "prNumber": 1,
                     *         "prUrl": "https://github.com/acme/payments/pull/42"
                     *       },
                     *       "lastSyncedAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    bootstrapRepository: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the repository. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "pat": "a-personal-access-token"
                 *     }
                 */
                "application/json": components["schemas"]["StartBootstrap"];
            };
        };
        responses: {
            /** @description The pull request. After its merge the branches are protected. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "PR_OPEN",
                     *       "prNumber": 12,
                     *       "prUrl": "https://github.com/acme/payments/pull/12"
                     *     }
                     */
                    "application/json": components["schemas"]["Bootstrap"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    configureRulesets: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the repository. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "pat": "a-personal-access-token"
                 *     }
                 */
                "application/json": components["schemas"]["ConfigureRulesets"];
            };
        };
        responses: {
            /** @description The current state. The event `repo.updated` announces the result. A repetition is safe. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "pending",
                     *       "detail": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["BranchProtection"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getProtectionRule: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the repository. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the protection rule at the last check. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "active",
                     *       "environment": "production",
                     *       "adminsMayBypass": false
                     *     }
                     */
                    "application/json": components["schemas"]["ProtectionRule"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    enableProtectionRule: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the repository. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The environment of the policy has the rule. It is created if it is missing. A repetition is safe. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "active",
                     *       "environment": "production",
                     *       "adminsMayBypass": false
                     *     }
                     */
                    "application/json": components["schemas"]["ProtectionRule"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    openWorkflowUpdate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the repository. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "pat": "a-personal-access-token"
                 *     }
                 */
                "application/json": components["schemas"]["OpenWorkflowUpdate"];
            };
        };
        responses: {
            /** @description The pull request was already open, or there is nothing to update. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "PR_OPEN",
                     *       "prNumber": 17,
                     *       "prUrl": "https://github.com/acme/payments/pull/17",
                     *       "targetRevision": "4be2c1d09f37a865",
                     *       "installedRevision": "91c07e5a2b6d4f38",
                     *       "managedFiles": [
                     *         ".github/workflows/shipgate-ci.yml",
                     *         ".github/workflows/shipgate-enforce.yml"
                     *       ],
                     *       "branch": "shipgate-workflow-update-4be2c1d09f37a865"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowUpdate"];
                };
            };
            /** @description The pull request was opened. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "PR_OPEN",
                     *       "prNumber": 17,
                     *       "prUrl": "https://github.com/acme/payments/pull/17",
                     *       "targetRevision": "4be2c1d09f37a865",
                     *       "installedRevision": "91c07e5a2b6d4f38",
                     *       "managedFiles": [
                     *         ".github/workflows/shipgate-ci.yml",
                     *         ".github/workflows/shipgate-enforce.yml"
                     *       ],
                     *       "branch": "shipgate-workflow-update-4be2c1d09f37a865"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowUpdate"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getWorkflowUpdate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the repository. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state on GitHub. Nothing is changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "PR_OPEN",
                     *       "prNumber": 17,
                     *       "prUrl": "https://github.com/acme/payments/pull/17",
                     *       "targetRevision": "4be2c1d09f37a865",
                     *       "installedRevision": "91c07e5a2b6d4f38",
                     *       "managedFiles": [
                     *         ".github/workflows/shipgate-ci.yml",
                     *         ".github/workflows/shipgate-enforce.yml"
                     *       ],
                     *       "branch": "shipgate-workflow-update-4be2c1d09f37a865"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowUpdate"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listPendingReviews: {
        parameters: {
            query?: {
                /** @description Whether your approval counts: by stored facts on a page, by GitHub's present facts in the whole list. */
                eligibility?: "eligible" | "ineligible" | "unknown";
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description `mine`: reviews that you may give, by fresh facts. `workspace`: all reviews that you can see, which is the default if `eligibility` is sent. Applies to pages only. */
                scope?: "mine" | "workspace";
                /** @description A part of a version, of a repository's name, or of both, as in `catalog v0.9`; of `owner/name` where it has a slash. */
                search?: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pending reviews of the repositories that you can read, last changed first. A page uses stored facts, and stale ones are refreshed in the background. Without `page` and `pageSize` all are listed regardless of the scope, by facts that are read from GitHub now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "reviews": [
                     *         {
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repo": "payments",
                     *           "version": "v1.4.0",
                     *           "evidencePrNumber": 42,
                     *           "evidencePrUrl": "https://github.com/acme/payments/pull/42",
                     *           "eligibility": {
                     *             "status": "eligible",
                     *             "login": "ada",
                     *             "reason": "ada may approve this release."
                     *           },
                     *           "policy": {
                     *             "minApprovals": 2,
                     *             "teams": [
                     *               "release-managers"
                     *             ],
                     *             "deploymentTarget": "production",
                     *             "promotion": "manual",
                     *             "requiresEvidenceApproval": true
                     *           },
                     *           "policyStatus": "available",
                     *           "approvalEffects": {
                     *             "status": "configured",
                     *             "summary": "With the approvals of 2 eligible reviewers and no requested changes, the evidence of v1.4.0 counts as approved. This alone deploys nothing. A deployer must deploy it to production while the gate is open."
                     *           },
                     *           "reviewState": "open",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "approvals": {
                     *             "required": 2,
                     *             "given": 1
                     *           },
                     *           "lostTests": 0,
                     *           "waitingSince": "2026-05-04T10:00:00.000Z",
                     *           "milestoneUrl": "https://github.com/acme/payments/milestone/7",
                     *           "updatedAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "workspaceTotal": 0,
                     *       "unknown": 0,
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PendingReviews"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getReview: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The review by facts that are read from GitHub now. A fact that is not returned within 3 seconds is unknown. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "org": "acme",
                     *       "repo": "payments",
                     *       "version": "v1.4.0",
                     *       "evidencePrNumber": 42,
                     *       "evidencePrUrl": "https://github.com/acme/payments/pull/42",
                     *       "eligibility": {
                     *         "status": "eligible",
                     *         "login": "ada",
                     *         "reason": "ada may approve this release."
                     *       },
                     *       "policy": {
                     *         "minApprovals": 2,
                     *         "teams": [
                     *           "release-managers"
                     *         ],
                     *         "deploymentTarget": "production",
                     *         "promotion": "manual",
                     *         "requiresEvidenceApproval": true
                     *       },
                     *       "policyStatus": "available",
                     *       "approvalEffects": {
                     *         "status": "configured",
                     *         "summary": "With the approvals of 2 eligible reviewers and no requested changes, the evidence of v1.4.0 counts as approved. This alone deploys nothing. A deployer must deploy it to production while the gate is open."
                     *       },
                     *       "reviewState": "open"
                     *     }
                     */
                    "application/json": components["schemas"]["ReleaseReviewDetail"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getReviewBrief: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a reviewer needs: changes, tests, scores, new findings, overrides and the own last review. It uses stored facts only, without a call to GitHub. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "org": "acme",
                     *       "repo": "payments",
                     *       "version": "v1.4.0",
                     *       "candidateSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *       "evidencePrUrl": "https://github.com/acme/payments/pull/42",
                     *       "since": {
                     *         "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *         "version": "v1.4.0",
                     *         "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *         "comparisonUrl": "https://github.com/acme/payments/compare/9f8e7d6c5b4a...4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *         "changes": {
                     *           "commits": 12,
                     *           "commitsComplete": true,
                     *           "files": 34,
                     *           "filesComplete": true,
                     *           "paths": [
                     *             "src/pay.ts"
                     *           ]
                     *         }
                     *       },
                     *       "scope": {
                     *         "status": "current",
                     *         "reason": "text",
                     *         "observedAt": "2026-05-04T10:00:00.000Z",
                     *         "open": 2,
                     *         "closed": 14,
                     *         "issues": [
                     *           {
                     *             "number": 12,
                     *             "title": "Pay by card",
                     *             "state": "open",
                     *             "owners": [
                     *               "ada"
                     *             ],
                     *             "labels": [
                     *               "bug"
                     *             ],
                     *             "url": "https://github.com/acme/payments/issues/12"
                     *           }
                     *         ]
                     *       },
                     *       "tests": {
                     *         "now": {
                     *           "passed": 214,
                     *           "failed": 0,
                     *           "skipped": 3
                     *         },
                     *         "before": {
                     *           "passed": 214,
                     *           "failed": 0,
                     *           "skipped": 3
                     *         },
                     *         "change": {
                     *           "newFailures": {
                     *             "count": 1,
                     *             "names": [
                     *               "payments › pays › refuses an expired card"
                     *             ]
                     *           },
                     *           "fixedTests": {
                     *             "count": 1,
                     *             "names": [
                     *               "payments › pays › refuses an expired card"
                     *             ]
                     *           },
                     *           "lostTests": {
                     *             "count": 1,
                     *             "names": [
                     *               "payments › pays › refuses an expired card"
                     *             ]
                     *           }
                     *         },
                     *         "flaky": {
                     *           "count": 1,
                     *           "names": [
                     *             "payments › pays › refuses an expired card"
                     *           ],
                     *           "rate": 0.01
                     *         },
                     *         "comparison": "known"
                     *       },
                     *       "scorecard": {
                     *         "score": 92.4,
                     *         "grade": "A",
                     *         "categories": [
                     *           {
                     *             "name": "tests",
                     *             "weight": 40,
                     *             "score": 99.5,
                     *             "status": "passed",
                     *             "detail": "199 of 200 tests passed; 0 were flaky, and 3 skipped."
                     *           }
                     *         ],
                     *         "incomplete": [
                     *           "tests"
                     *         ],
                     *         "caps": [
                     *           {
                     *             "grade": "A",
                     *             "reason": "A critical finding is open."
                     *           }
                     *         ]
                     *       },
                     *       "change": {
                     *         "score": -1.5,
                     *         "coverage": 0.25
                     *       },
                     *       "newFindings": {
                     *         "count": 1,
                     *         "findings": [
                     *           {
                     *             "label": "high: sql-injection in src/pay.ts",
                     *             "severity": "critical",
                     *             "count": 1
                     *           }
                     *         ],
                     *         "unidentified": 0
                     *       },
                     *       "scanChange": {
                     *         "lost": [
                     *           "security"
                     *         ],
                     *         "added": []
                     *       },
                     *       "overrides": [
                     *         {
                     *           "kind": "waiver",
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "reason": "verified by hand",
                     *           "expiresAt": "2026-05-04T10:00:00.000Z",
                     *           "conditions": [
                     *             {
                     *               "code": "approvals_missing",
                     *               "detail": "1 of 2 approvals given by members of \"release-managers\".",
                     *               "actor": "team",
                     *               "url": "https://github.com/acme/payments/pull/42",
                     *               "source": "organization",
                     *               "endsAt": "2026-05-04T10:00:00.000Z"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "ownReview": {
                     *         "login": "ada",
                     *         "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4",
                     *         "userId": 1001,
                     *         "state": "approved",
                     *         "commitSha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392",
                     *         "submittedAt": "2026-05-04T09:30:00Z",
                     *         "counts": true,
                     *         "reason": "ada wrote a commit of this release."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReviewBrief"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listRunning: {
        parameters: {
            query?: {
                /** @description The environment, ignoring case. */
                environment?: string;
                /** @description `false`: only artifacts that may not run. `true`: only those that may. */
                governed?: "true" | "false";
                /** @description The page number. It or `pageSize` turns pagination on. A page after the last one is empty. */
                page?: number;
                /** @description The number of items of a page. */
                pageSize?: 10 | 25 | 50;
                /** @description The repository, as `name` or `owner/name`, ignoring case. */
                repo?: string;
            };
            header?: {
                /**
                 * @description The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.
                 * @example W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the running artifacts of the repositories that you can read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "artifacts": [
                     *         {
                     *           "name": "api",
                     *           "digest": "sha256:4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e",
                     *           "governed": true,
                     *           "firstSeen": "2026-05-04T10:00:00.000Z",
                     *           "lastSeen": "2026-05-04T10:00:00.000Z",
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "environment": "production",
                     *           "statedAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "total": 0,
                     *         "pages": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Running"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getPolicySchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schema, in JSON Schema draft 2020-12. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "$schema": "https://json-schema.org/draft/2020-12/schema",
                     *       "title": "sdlc.yaml",
                     *       "type": "object"
                     *     }
                     */
                    "application/schema+json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    searchWorkspace: {
        parameters: {
            query: {
                /**
                 * @description A part of a version, of a repository's name, or of both, as in `catalog v0.9`; a part of a project's name, or of a user's login or name;
                 *     or the first 7 or more digits of a commit. The case does not count.
                 */
                q: string;
            };
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What you can read and the term matches, a few of each kind. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "releases": [
                     *         {
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "version": "v1.4.0",
                     *           "stage": "PLANNING",
                     *           "deployedAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "repositories": [
                     *         {
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments"
                     *         }
                     *       ],
                     *       "projects": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "name": "Checkout 2026"
                     *         }
                     *       ],
                     *       "commits": [
                     *         {
                     *           "milestoneId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "org": "acme",
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "version": "v1.4.0",
                     *           "sha": "4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392"
                     *         }
                     *       ],
                     *       "users": [
                     *         {
                     *           "userId": 583231,
                     *           "login": "ada",
                     *           "name": "Ada Lovelace",
                     *           "avatarUrl": "https://github.com/acme/payments/pull/42"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every key that is not revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "name": "Jenkins",
                     *           "prefix": "sgk_4fZq0B",
                     *           "scopes": [
                     *             "evidence:write"
                     *           ],
                     *           "repos": [
                     *             "payments"
                     *           ],
                     *           "createdBy": "ada",
                     *           "createdAt": "2026-05-04T10:00:00.000Z",
                     *           "expiresAt": "2026-05-04T10:00:00.000Z",
                     *           "lastUsedAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeys"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Jenkins",
                 *       "scopes": [
                 *         "evidence:write"
                 *       ],
                 *       "repos": [
                 *         "payments"
                 *       ],
                 *       "expiresAt": "2099-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description The key with its secret, which no later response contains. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "name": "Jenkins",
                     *       "prefix": "sgk_4fZq0B",
                     *       "scopes": [
                     *         "evidence:write"
                     *       ],
                     *       "repos": [
                     *         "payments"
                     *       ],
                     *       "createdBy": "ada",
                     *       "createdAt": "2026-05-04T10:00:00.000Z",
                     *       "expiresAt": "2026-05-04T10:00:00.000Z",
                     *       "lastUsedAt": "2026-05-04T10:00:00.000Z",
                     *       "key": "sgk_4fZq0BxJ9v…"
                     *     }
                     */
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listPersonalKeys: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All your keys that are not revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "name": "editor on my laptop",
                     *           "prefix": "sgp_4fZq0B",
                     *           "scope": "read",
                     *           "createdAt": "2026-05-04T10:00:00.000Z",
                     *           "expiresAt": "2026-05-04T10:00:00.000Z",
                     *           "lastUsedAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PersonalKeys"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    createPersonalKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "editor on my laptop",
                 *       "scope": "read"
                 *     }
                 */
                "application/json": components["schemas"]["CreatePersonalKey"];
            };
        };
        responses: {
            /** @description The key with its secret, which no later response contains. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "name": "editor on my laptop",
                     *       "prefix": "sgp_4fZq0B",
                     *       "scope": "read",
                     *       "createdAt": "2026-05-04T10:00:00.000Z",
                     *       "expiresAt": "2026-05-04T10:00:00.000Z",
                     *       "lastUsedAt": "2026-05-04T10:00:00.000Z",
                     *       "key": "sgp_4fZq0BxJ9v…"
                     *     }
                     */
                    "application/json": components["schemas"]["NewPersonalKey"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    revokePersonalKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listStatementKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All keys, including retired ones, because their statements stay valid until they expire. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "OKP",
                     *           "crv": "Ed25519",
                     *           "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                     *           "kid": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                     *           "use": "sig",
                     *           "alg": "EdDSA",
                     *           "madeAt": "2026-05-04T10:00:00.000Z",
                     *           "retiredAt": "2026-05-04T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StatementKeys"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    getSyncStatus: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status of the repositories that you can read, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "never",
                     *       "syncId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "nextSyncId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "lastSyncedAt": "2026-05-04T10:00:00.000Z",
                     *       "detail": "text",
                     *       "repos": [
                     *         {
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "status": "never",
                     *           "detail": "GET /repos/acme/payments/milestones: 502"
                     *         }
                     *       ],
                     *       "ignored": [
                     *         {
                     *           "repoId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "repo": "payments",
                     *           "number": 7,
                     *           "title": "Someday",
                     *           "reason": "The title is no version: v1.2.3 would be one."
                     *         }
                     *       ],
                     *       "deadLetters": 0
                     *     }
                     */
                    "application/json": components["schemas"]["SyncStatus"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    startSync: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "repoId": "6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b"
                 *     }
                 */
                "application/json": components["schemas"]["StartSync"];
            };
        };
        responses: {
            /** @description The sync run. It has started, or starts when the current one ends. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "syncId": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "status": "running"
                     *     }
                     */
                    "application/json": components["schemas"]["SyncStarted"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A read that a page makes by itself. It does not extend the idle time of the session.
                 * @example 1
                 */
                "X-Background"?: "1";
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members, and the invites without their tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "members": [
                     *         {
                     *           "login": "ada",
                     *           "name": "Ada Lovelace",
                     *           "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4",
                     *           "userId": 583231,
                     *           "role": "member",
                     *           "joinedAt": "2026-05-04T10:00:00.000Z",
                     *           "auditor": false
                     *         }
                     *       ],
                     *       "invites": [
                     *         {
                     *           "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *           "login": "grace",
                     *           "role": "member",
                     *           "auditor": false,
                     *           "expiresAt": "2026-05-04T10:00:00.000Z",
                     *           "createdBy": "ada"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    createInvite: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "login": "grace",
                 *       "role": "member",
                 *       "auditor": false
                 *     }
                 */
                "application/json": components["schemas"]["CreateInvite"];
            };
        };
        responses: {
            /** @description An invite for one use within 7 days. An earlier one for the same user is withdrawn. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b",
                     *       "url": "https://shipgate.example/invite#sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY",
                     *       "token": "sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY",
                     *       "expiresAt": "2026-05-04T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedInvite"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    revokeInvite: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The id of the invite. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invite is withdrawn. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    acceptInvite: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY"
                 *     }
                 */
                "application/json": components["schemas"]["AcceptInvite"];
            };
        };
        responses: {
            /** @description The user is a member, and the session works in the workspace. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workspace": {
                     *         "org": "acme",
                     *         "role": "member"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AcceptedInvite"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    previewInvite: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY"
                 *     }
                 */
                "application/json": components["schemas"]["AcceptInvite"];
            };
        };
        responses: {
            /** @description The workspace, and the rights that you would get. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "org": "acme",
                     *       "role": "member",
                     *       "auditor": false
                     *     }
                     */
                    "application/json": components["schemas"]["InvitePreview"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The member's numeric id on GitHub. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member is removed, in every session from its next request on. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    changeMemberRole: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The member's numeric id on GitHub. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "admin"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeRole"];
            };
        };
        responses: {
            /** @description The changed member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "login": "ada",
                     *       "name": "Ada Lovelace",
                     *       "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4",
                     *       "userId": 583231,
                     *       "role": "member",
                     *       "joinedAt": "2026-05-04T10:00:00.000Z",
                     *       "auditor": false
                     *     }
                     */
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    grantAuditor: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The member's numeric id on GitHub. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member is an auditor, from their next request on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "login": "ada",
                     *       "name": "Ada Lovelace",
                     *       "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4",
                     *       "userId": 583231,
                     *       "role": "member",
                     *       "joinedAt": "2026-05-04T10:00:00.000Z",
                     *       "auditor": false
                     *     }
                     */
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    revokeAuditor: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.
                 * @example acme
                 */
                "X-Workspace"?: string;
            };
            path: {
                /** @description The member's numeric id on GitHub. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description From the next request on, the member is not an auditor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "login": "ada",
                     *       "name": "Ada Lovelace",
                     *       "avatarUrl": "https://avatars.githubusercontent.com/u/583231?v=4",
                     *       "userId": 583231,
                     *       "role": "member",
                     *       "joinedAt": "2026-05-04T10:00:00.000Z",
                     *       "auditor": false
                     *     }
                     */
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
    receiveWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The GUID of the delivery. */
                "X-GitHub-Delivery"?: string;
                /** @description The event, such as `push`. */
                "X-GitHub-Event"?: string;
                /** @description HMAC-SHA-256 of the body, as `sha256=…`. */
                "X-Hub-Signature-256"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event's payload as GitHub signed it. A body over 1 MB is not stored. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "action": "created",
                 *       "installation": {
                 *         "id": 7
                 *       }
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The delivery was stored for processing or dropped. The response does not show which. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                    };
                };
            };
        };
    };
}
