import { graphql, type ResultOf } from '@/data/graphql';

export const auditEntriesQuery = graphql(`
  query AuditEntriesPage($page: PageOptions, $where: [Filter!]) {
    auditEntries(page: $page) {
      id
      at
      actor
      address
      action
      entity
      entityId
      entityName
      before
      after
      requestId
    }
    auditEntriesCount(where: $where) {
      total
      exact
    }
  }
`);

export type AuditEntry = ResultOf<typeof auditEntriesQuery>['auditEntries'][number];
