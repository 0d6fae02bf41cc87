import { graphql, type ResultOf } from '@/data/graphql';

export const reportSettingsQuery = graphql(`
  query ReportSettingsPage($page: PageOptions, $where: [Filter!]) {
    reportSettings(page: $page) {
      id
      name
      reportKey
      columns {
        member
        visible
      }
      rangeDays
      format
      isActive
      updatedAt
      updatedBy
      version
    }
    reportSettingsCount(where: $where) {
      total
      exact
    }
  }
`);

export const reportSettingQuery = graphql(`
  query ViewReportSetting($id: String!) {
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
      updatedAt
      updatedBy
      version
    }
  }
`);

/** Reads the members available for a kind of report. */
export const reportMembersQuery = graphql(`
  query ReportMembers($reportKey: ReportKey!) {
    reportMembers(reportKey: $reportKey) {
      member
      title
      kind
    }
  }
`);

/**
 * Reads the members that filters may use. Unlike its columns, the filters of a report may use the dimensions of all kinds
 * of reports, which these two have between them.
 */
export const reportFilterMembersQuery = graphql(`
  query ReportFilterMembers {
    variances: reportMembers(reportKey: variances) {
      member
      title
      kind
    }
    shipments: reportMembers(reportKey: shipments) {
      member
      title
      kind
    }
  }
`);

/** Reads who changed the report setting last, after a version conflict. */
export const reportSettingVersionQuery = graphql(`
  query ReportSettingVersion($id: String!) {
    current: reportSetting(id: $id) {
      version
      updatedAt
      updatedBy
    }
  }
`);

export const createReportSettingMutation = graphql(`
  mutation CreateReportSetting($input: CreateReportSettingInput!) {
    createReportSetting(input: $input) {
      id
      name
    }
  }
`);

export const updateReportSettingMutation = graphql(`
  mutation UpdateReportSetting($input: UpdateReportSettingInput!) {
    updateReportSetting(input: $input) {
      id
      version
    }
  }
`);

export const deleteReportSettingMutation = graphql(`
  mutation DeleteReportSetting($input: DeleteReportSettingInput!) {
    deleteReportSetting(input: $input)
  }
`);

/** Reads the schedule of a report setting, and whether reports can be sent at all. */
export const reportScheduleQuery = graphql(`
  query ReportSchedule($id: String!) {
    reportSchedule(reportSettingId: $id) {
      id
      cadence
      weekday
      monthDay
      time
      timeZone
      recipients
      format
      isPaused
      pausedReason
      owner
      nextAt
      isSending
      sentAt
      sentCount
      skipped
      failedAt
      failure
      version
    }
    sendsMail
  }
`);

export const saveReportScheduleMutation = graphql(`
  mutation SaveReportSchedule($input: SaveReportScheduleInput!) {
    saveReportSchedule(input: $input) {
      id
      version
    }
  }
`);

export const pauseReportScheduleMutation = graphql(`
  mutation PauseReportSchedule($input: PauseReportScheduleInput!) {
    pauseReportSchedule(input: $input) {
      id
      version
    }
  }
`);

export const deleteReportScheduleMutation = graphql(`
  mutation DeleteReportSchedule($input: DeleteReportScheduleInput!) {
    deleteReportSchedule(input: $input)
  }
`);

export const sendReportMutation = graphql(`
  mutation SendReport($input: SendReportInput!) {
    sendReport(input: $input) {
      id
      isSending
    }
  }
`);

export type ReportSchedule = NonNullable<ResultOf<typeof reportScheduleQuery>['reportSchedule']>;
export type ReportSettingRow = ResultOf<typeof reportSettingsQuery>['reportSettings'][number];
export type ReportSetting = NonNullable<ResultOf<typeof reportSettingQuery>['reportSetting']>;
export type ReportMember = ResultOf<typeof reportMembersQuery>['reportMembers'][number];
