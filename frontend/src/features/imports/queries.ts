import { graphql, type ResultOf } from '@/data/graphql';

export const activeSourcesQuery = graphql(`
  query ImportSources($page: PageOptions) {
    sources(page: $page) {
      id
      name
    }
  }
`);

export const recentImportsQuery = graphql(`
  query RecentImports($page: PageOptions) {
    uploadLogs(page: $page) {
      id
      filename
      status
      sourceId
      source {
        id
        name
      }
      rowsTotal
      rowsCreated
      rowsUpdated
      rowsFailed
      uploadedBy
      createdAt
    }
    uploadLogsCount {
      total
      exact
    }
  }
`);

export const uploadLogQuery = graphql(`
  query UploadedDetails($id: String!) {
    uploadLog(id: $id) {
      id
      filename
      status
      sourceId
      source {
        id
        name
      }
      sizeBytes
      bytesRead
      rowsTotal
      rowsCreated
      rowsUpdated
      rowsSkipped
      rowsFailed
      deliveriesCreated
      itemsCreated
      failureCode
      failureText
      startedAt
      finishedAt
      uploadedBy
      createdAt
      warnings
      headings
      documentColumn
      columns {
        heading
        reading
      }
      mode
      undoAllowed
      undoableUntil
      undoneAt
      undoneBy
      undoReport {
        reversed
        kept
        errored
        total
      }
      undoFailureText
      columnsChosen
      dryRun
      valuesToMatch
      valuesUndecided
      changedSinceCheck
    }
  }
`);

/** Counts the deliveries that an import created and that still exist. */
export const importedDeliveriesQuery = graphql(`
  query ImportedDeliveries($where: [Filter!]) {
    deliveriesCount(where: $where) {
      total
      exact
    }
  }
`);

/** Emits the log whenever its import, check or undo has progressed. */
export const uploadLogSubscription = graphql(`
  subscription UploadLogChanged($id: String!) {
    uploadLogChanged(id: $id) {
      id
      status
      bytesRead
      rowsTotal
    }
  }
`);

export const uploadRowsQuery = graphql(`
  query RefusedRows($uploadLog: String!, $page: PageOptions) {
    uploadRows(uploadLog: $uploadLog, page: $page) {
      uploadLogId
      rowNumber
      sheetRow
      sheet
      deliveryId
      messages {
        column
        code
        text
      }
    }
    uploadRowsCount(uploadLog: $uploadLog) {
      total
      exact
    }
  }
`);

/** Refused rows with all their cells, for the download, and what shows whether they have changed. */
export const refusedCellsQuery = graphql(`
  query RefusedCells($uploadLog: String!, $page: PageOptions) {
    uploadRows(uploadLog: $uploadLog, page: $page) {
      uploadLogId
      rowNumber
      sheetRow
      sheet
      deliveryId
      cells
      corrections {
        column
        value
      }
      messages {
        column
        text
      }
    }
    uploadRowsCount(uploadLog: $uploadLog) {
      total
      exact
    }
    uploadLog(id: $uploadLog) {
      id
      status
      finishedAt
      rowsFailed
    }
  }
`);

/** One window of refused rows for the grid. */
export const correctableRowsQuery = graphql(`
  query CorrectableRows($uploadLog: String!, $page: PageOptions) {
    uploadRows(uploadLog: $uploadLog, page: $page) {
      uploadLogId
      rowNumber
      sheetRow
      sheet
      cells
      corrections {
        column
        value
      }
      messages {
        column
        columnIndex
        code
        text
      }
    }
    uploadRowsCount(uploadLog: $uploadLog) {
      total
      exact
    }
  }
`);

/** One window of the rows of a checked file. */
export const reviewRowsQuery = graphql(`
  query ReviewRows($uploadLog: String!, $result: UploadRowResult, $offset: Int!, $limit: Int!) {
    reviewRows(uploadLog: $uploadLog, result: $result, offset: $offset, limit: $limit) {
      rows {
        rowNumber
        sheetRow
        sheet
        result
        cells
        corrections {
          column
          value
        }
        messages {
          column
          columnIndex
          code
          text
        }
      }
      total
      kept
    }
  }
`);

export const correctUploadRowsMutation = graphql(`
  mutation CorrectUploadRows($input: CorrectUploadRowsInput!) {
    correctUploadRows(input: $input) {
      changed
    }
  }
`);

export const replaceInUploadColumnMutation = graphql(`
  mutation ReplaceInUploadColumn($input: ReplaceInUploadColumnInput!) {
    replaceInUploadColumn(input: $input) {
      changed
    }
  }
`);

export const importCorrectedRowsMutation = graphql(`
  mutation ImportCorrectedRows($input: ImportCorrectedRowsInput!) {
    importCorrectedRows(input: $input) {
      id
      status
    }
  }
`);

export const warningFields = graphql(`
  fragment WarningFields on UploadWarning @_unmask {
    number
    line
    sheet
    column
    code
    text
  }
`);

export const uploadWarningsQuery = graphql(
  `
    query UploadWarnings($uploadLog: String!, $page: PageOptions) {
      uploadWarnings(uploadLog: $uploadLog, page: $page) {
        ...WarningFields
      }
    }
  `,
  [warningFields],
);

export const uploadChangesQuery = graphql(`
  query UploadChanges($uploadLog: String!) {
    uploadChanges(uploadLog: $uploadLog) {
      deliveryId
      itemNumber
      field
      before
      after
    }
  }
`);

export const undoExceptionsQuery = graphql(`
  query UndoExceptions($uploadLog: String!, $page: PageOptions) {
    undoExceptions(uploadLog: $uploadLog, page: $page) {
      deliveryId
      result
      code
      touchedBy
      touchedAt
    }
  }
`);

export const chooseImportColumnsMutation = graphql(`
  mutation ChooseImportColumns($input: ChooseImportColumnsInput!) {
    chooseImportColumns(input: $input) {
      id
      status
    }
  }
`);

export const importValuesQuery = graphql(`
  query ImportValues($uploadLog: String!) {
    importValues(uploadLog: $uploadLog) {
      values {
        field
        value
        rows
        suggestions {
          name
          label
        }
        choice
        target {
          name
          label
        }
        remembered
      }
      refuseUnknownDrivers
    }
  }
`);

export const matchImportValuesMutation = graphql(`
  mutation MatchImportValues($input: MatchImportValuesInput!) {
    matchImportValues(input: $input) {
      id
      valuesToMatch
      valuesUndecided
      changedSinceCheck
    }
  }
`);

export const checkImportAgainMutation = graphql(`
  mutation CheckImportAgain($input: CheckImportAgainInput!) {
    checkImportAgain(input: $input) {
      id
      status
    }
  }
`);

export const commitUploadMutation = graphql(`
  mutation CommitUpload($input: CommitUploadInput!) {
    commitUpload(input: $input) {
      id
      status
    }
  }
`);

export const cancelUploadMutation = graphql(`
  mutation CancelUpload($input: CancelUploadInput!) {
    cancelUpload(input: $input) {
      id
      status
    }
  }
`);

export type ImportValues = ResultOf<typeof importValuesQuery>['importValues'];
export type ImportValue = ImportValues['values'][number];
export type UndoException = ResultOf<typeof undoExceptionsQuery>['undoExceptions'][number];
export type UploadChange = ResultOf<typeof uploadChangesQuery>['uploadChanges'][number];
export type RecentImport = ResultOf<typeof recentImportsQuery>['uploadLogs'][number];
export type UploadLog = NonNullable<ResultOf<typeof uploadLogQuery>['uploadLog']>;
export type RefusedRow = ResultOf<typeof uploadRowsQuery>['uploadRows'][number];
export type CorrectableRow = ResultOf<typeof correctableRowsQuery>['uploadRows'][number];
export type ReviewRow = ResultOf<typeof reviewRowsQuery>['reviewRows']['rows'][number];
export type RowResult = ReviewRow['result'];
/** A row in a grid: one that an import refused, or one of a checked file. Only the latter has a result. */
export type GridRow = Omit<CorrectableRow, 'uploadLogId'> & { result?: RowResult };
export type RefusedCells = ResultOf<typeof refusedCellsQuery>['uploadRows'][number];
export type UploadWarning = ResultOf<typeof uploadWarningsQuery>['uploadWarnings'][number];
