import { graphql, type ResultOf } from '@/data/graphql';

/** The reports that are offered; there are at most two hundred. */
export const savedReportsQuery = graphql(`
  query SavedReports($page: PageOptions) {
    reportSettings(page: $page) {
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
