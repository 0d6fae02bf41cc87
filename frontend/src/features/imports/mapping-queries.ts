import { graphql, type ResultOf } from '@/data/graphql';
import { warningFields } from './queries';

export const importMappingQuery = graphql(
  `
    query ImportMapping(
      $uploadLog: String!
      $sheet: String
      $headerLine: Int
      $choices: ImportChoicesInput
      $items: ImportItemsInput
    ) {
      importMapping(
        uploadLog: $uploadLog
        sheet: $sheet
        headerLine: $headerLine
        choices: $choices
        items: $items
      ) {
        sheets {
          name
          chosen
          headerLine
          rowCount
        }
        headerLine
        rowCount
        rows {
          line
          cells
        }
        chosen
        columns {
          heading
          examples
          field
          confidence
          alternative
        }
        items {
          sheet
          headerLine
          rowCount
          rows {
            line
            cells
          }
          chosen
          columns {
            heading
            examples
            field
            confidence
            alternative
          }
        }
        fields {
          name
          label
          required
          canDefault
          canJoin
        }
        dryRun
        dateOrder
        decimalSign
        defaults {
          field
          value
        }
        readings {
          column
          heading
          reading
          depends
          examples {
            value
            chosen
            other
          }
        }
        firstRow {
          line
          values {
            field
            label
            text
            problem
          }
        }
        problem
        savedMapping {
          id
          name
          missing
          proposed
        }
        warnings {
          ...WarningFields
        }
      }
    }
  `,
  [warningFields],
);

export const saveImportMappingMutation = graphql(`
  mutation SaveImportMapping($input: SaveImportMappingInput!) {
    saveImportMapping(input: $input) {
      id
      status
    }
  }
`);

export type ImportMapping = ResultOf<typeof importMappingQuery>['importMapping'];
export type ImportColumn = ImportMapping['columns'][number];
export type ImportColumnReading = ImportMapping['readings'][number];

export const savedMappingsQuery = graphql(`
  query SavedMappings($uploadLog: String!, $sheet: String, $headerLine: Int!) {
    importMappings(uploadLog: $uploadLog, sheet: $sheet, headerLine: $headerLine) {
      id
      name
      source {
        id
        name
      }
      columns
      missing
      savedBy
      canChange
      lastUsedAt
      usedCount
    }
  }
`);

export const createSavedMappingMutation = graphql(`
  mutation CreateSavedMapping($input: CreateImportMappingInput!) {
    createImportMapping(input: $input) {
      id
      name
    }
  }
`);

export const renameSavedMappingMutation = graphql(`
  mutation RenameSavedMapping($input: RenameImportMappingInput!) {
    renameImportMapping(input: $input) {
      id
      name
    }
  }
`);

export const deleteSavedMappingMutation = graphql(`
  mutation DeleteSavedMapping($input: DeleteImportMappingInput!) {
    deleteImportMapping(input: $input)
  }
`);

export type SavedMapping = ResultOf<typeof savedMappingsQuery>['importMappings'][number];
