import type { ReactNode } from 'react';

/** A cell, by its position among the rows and columns. */
export interface Place {
  row: number;
  column: number;
}

export interface GridColumn<Row> {
  /** Unique, unlike the heading: two columns of a file can have the same heading. */
  id: string;
  header: string;
  valueOf: (row: Row) => string;
  /** The value before it was edited. */
  originalOf: (row: Row) => string;
  /** What is wrong with the original value. */
  messagesOf: (row: Row) => readonly string[];
  /** Accessible name of the input. */
  labelOf: (row: Row) => string;
}

export interface GridEdit<Row> {
  row: Row;
  /** Index of the column in `columns`. */
  column: number;
  value: string;
}

export interface EditGridProps<Row extends object> {
  labelledBy: string;
  columns: readonly GridColumn<Row>[];
  /** The first column, which names the rows and stays while the others scroll. */
  names: { header: string; render: (row: Row) => ReactNode };
  /** Number of all rows. */
  total: number;
  /** Returns a row, or undefined until it is loaded. */
  rowAt: (index: number) => Row | undefined;
  /** Height of every row in pixels, so that the place of each row is known without loading it. */
  rowHeight: number;
  /** Called with the positions of the rows in view. */
  onView: (from: number, to: number) => void;
  /** Loads rows over which somebody pastes cells: all of them, or it rejects. */
  rowsBetween: (from: number, to: number) => Promise<readonly Row[]>;
  /** Called when these rows cannot be loaded. Nothing was pasted then. */
  onPasteFailed: () => void;
  /** Rows that cannot be edited. */
  isLocked: (row: Row) => boolean;
  /** Tells a screen reader that a cell was edited. */
  editedNote: (original: string) => string;
  at: Place;
  onMove: (at: Place) => void;
  onEdit: (edits: GridEdit<Row>[]) => void;
}
