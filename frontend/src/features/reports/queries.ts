import { graphql, type ResultOf } from '@/data/graphql';

/** Reads all saved reports: at most 200, in pages of 100. */
export const savedReportsQuery = graphql(`
  query SavedReports($first: PageOptions, $second: PageOptions) {
    first: reportSettings(page: $first) {
      id
      name
    }
    second: reportSettings(page: $second) {
      id
      name
    }
  }
`);

export const savedReportQuery = graphql(`
  query SavedReport($id: String!) {
    reportSetting(id: $id) {
      id
      name
      reportKey
      columns {
        member
        label
        visible
        width
      }
      defaultFilters {
        key
        operator
        values
      }
      rangeDays
      granularity
      groupBy
      sort {
        member
        direction
      }
      format
      isActive
      version
    }
  }
`);

export const reportMembersQuery = graphql(`
  query ReportPageMembers($reportKey: ReportKey!) {
    reportMembers(reportKey: $reportKey) {
      member
      title
      kind
    }
  }
`);

export const createReportMutation = graphql(`
  mutation SaveNewReport($input: CreateReportSettingInput!) {
    createReportSetting(input: $input) {
      id
      name
    }
  }
`);

export const updateReportMutation = graphql(`
  mutation SaveReport($input: UpdateReportSettingInput!) {
    updateReportSetting(input: $input) {
      id
      version
    }
  }
`);

export type SavedReport = NonNullable<ResultOf<typeof savedReportQuery>['reportSetting']>;
export type ReportMember = ResultOf<typeof reportMembersQuery>['reportMembers'][number];
