import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitColumns } from './fit-columns';

const columns = [
  { id: 'doc', width: 120 },
  { id: 'status', width: 190 },
  { id: 'driver', width: 130, grow: 1, priority: 1 },
  { id: 'customer', width: 130, grow: 2 },
  { id: 'trucker', width: 110, grow: 1, priority: 2 },
];

const idsAt = (room: number) => fitColumns(columns, room).columns.map(({ id }) => id);

it('keeps every column where there is room, and where the room is not known', () => {
  expect(idsAt(680)).toEqual(['doc', 'status', 'driver', 'customer', 'trucker']);
  expect(fitColumns(columns, 0)).toEqual({
    columns,
    widths: [120, 190, 130, 130, 110],
    left: [],
  });
});

it('lets columns leave by their priority, and keeps those without one', () => {
  expect(idsAt(679)).toEqual(['doc', 'status', 'driver', 'customer']);
  expect(idsAt(500)).toEqual(['doc', 'status', 'customer']);
  expect(idsAt(100)).toEqual(['doc', 'status', 'customer']);
  expect(fitColumns(columns, 500).left).toEqual(['trucker', 'driver']);
});

it('gives what is left over to the columns that grow, by their shares', () => {
  expect(fitColumns(columns, 780).widths).toEqual([120, 190, 155, 180, 135]);
});

it('fills the room exactly once the columns fit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 440, max: 3000 }), (room) => {
      const { widths } = fitColumns(columns, room);
      expect(widths.reduce((all, width) => all + width, 0)).toBeCloseTo(room);
    }),
  );
});
