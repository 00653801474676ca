//! The k nearest rows per group by k-d trees, one per class: for many rows with few numeric
//! columns.
//!
//! The rows are the same as those of a search over all pairs, because the same values are summed in
//! the same order to the same distances. A box is skipped if its nearest point is beyond the k-th
//! distance. The distance of this point is summed like any other, and rounding is monotonic, so
//! that no row in the box can be nearer.
//!
//! If more rows are tied at the k-th distance than are kept, only their number is stored, and a
//! visit searches for them again: memory stays bounded, and no tie is lost.

use super::k_least::KLeast;
use super::lists::{FindUnlisted, Lists, OpenList, PanelTiles, Unlisted};
use super::options::Ties;
use super::pairs::{Entry, Grouping, NearestOptions, nearer};
use crate::csr::CsrGroups;
use crate::differences::{Form, Space, Units, round};
use crate::error::Result;
use crate::parallel;
use crate::run::Run;

/// Rows per leaf.
const LEAF: usize = 32;

/// Rows whose neighbors one task finds.
const ROWS_PER_TASK: usize = 64;

/// Below this many rows, the two halves of a tree are built one after the other.
const ROWS_OF_SERIAL_SPLIT: usize = 4096;

/// The reason why the rows of a space cannot be put into a tree, if there is one.
pub(super) fn obstacle(space: &Space<'_>) -> Option<String> {
    if space.options().ramp.is_some() {
        return Some("a ramp makes differences that a tree does not know".to_string());
    }
    if space.eligible().is_some() {
        return Some("only eligible rows are neighbors, which a tree does not support".to_string());
    }
    let metric = space.options().metric;
    if !metric.has_kernels() {
        return Some(format!("a tree does not know the {} metric", metric.title()));
    }
    let mut active = 0;
    for (column, feature) in space.table().columns().iter().zip(space.features()) {
        match (feature.rule.form(), feature.rule.number()) {
            (Form::Nothing, _) => continue,
            (Form::Absolute, Some(_)) if feature.missing_rows().is_empty() => active += 1,
            (Form::Absolute, Some(_)) => {
                return Some(format!("column `{}` has missing values", column.name()));
            }
            _ => {
                return Some(format!("column `{}` is not numeric", column.name()));
            }
        }
    }
    (active == 0).then(|| "no column has two different values".to_string())
}

/// The trees of a grouping, one for the rows of every code.
pub(super) struct Trees {
    points: Points,
    trees: Vec<Tree>,
}

/// The rows found for one row in one group.
struct FoundList {
    /// All near rows; none if there are too many.
    entries: Vec<Entry>,
    /// The number of rows that are not listed, and the largest distance among them.
    unlisted: u32,
    limit: f64,
}

/// The nearest rows of every row in `order` among all rows of a space without [`obstacle`].
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn nearest_by_trees(
    space: &Space<'_>,
    order: &[u32],
    grouping: Grouping<'_>,
    options: NearestOptions,
    run: &Run,
) -> Result<Lists<'static>> {
    let points = Points::new(space, run)?;
    let rows = space.rows() as u32;
    let mut members = vec![Vec::new(); grouping.codes()];
    (0..rows).for_each(|row| members[grouping.code(row as usize) as usize].push(row));
    let trees = run.install(|| parallel::try_map(members, |rows| Tree::new(&points, rows, run)))?;
    let trees = Trees { points, trees };
    let sequence = in_leaves(&trees.trees, order, space.rows());
    let mut slots = vec![0; order.len()];
    for (slot, &(_, place)) in sequence.iter().enumerate() {
        slots[place as usize] = slot;
    }
    let found = run.install(|| trees.search(&sequence, grouping, options, run))?;
    let (mut entries, groups) = (CsrGroups::default(), grouping.count());
    let (mut counts, mut limits) = (Vec::new(), Vec::new());
    for slot in slots {
        let first = slot % ROWS_PER_TASK * groups;
        for list in &found[slot / ROWS_PER_TASK][first..first + groups] {
            entries.push_group(list.entries.iter().copied());
            counts.push(list.unlisted);
            limits.push(list.limit);
        }
    }
    let unlisted = Unlisted { counts, limits, source: Box::new(trees) };
    Ok(Lists::new(order.to_vec(), entries, Some(unlisted)))
}

impl FindUnlisted for Trees {
    /// Adds all rows within the limit, because incomplete lists store none.
    fn add(&self, list: OpenList<'_>, _: &mut PanelTiles, entries: &mut Vec<Entry>) {
        let mut within = Within { reach: Reach::new(list.limit), entries };
        self.look(list.row, list.group, list.grouping, &mut within);
    }
}

impl Trees {
    /// Searches the query rows in a sequence, row by row and group by group.
    fn search(
        &self,
        sequence: &[(u32, u32)],
        grouping: Grouping<'_>,
        options: NearestOptions,
        run: &Run,
    ) -> Result<Vec<Vec<FoundList>>> {
        run.progress().start("searching neighbors", sequence.len() as u64);
        let of_rows = |nearest: &mut Option<Nearest>, rows: &[(u32, u32)]| {
            run.check()?;
            let nearest = nearest.get_or_insert_with(|| Nearest::new(options, self.points.rows()));
            let mut found = Vec::with_capacity(rows.len() * grouping.count());
            for &(row, _) in rows {
                for group in 0..grouping.count() {
                    nearest.clear();
                    self.look(row, group, grouping, nearest);
                    found.push(nearest.listed());
                }
            }
            run.progress().advance(rows.len() as u64);
            Ok(found)
        };
        let found = parallel::try_map_with(sequence.chunks(ROWS_PER_TASK), of_rows)?;
        run.progress().finish();
        Ok(found)
    }

    /// Shows the rows of a group to a seeker.
    fn look(&self, row: u32, group: usize, grouping: Grouping<'_>, seeker: &mut impl Seeker) {
        let own = grouping.code(row as usize);
        let values = self.points.row(row);
        let query = Query { row, values, square: self.points.square };
        for (code, tree) in self.trees.iter().enumerate() {
            if grouping.group(own, code as u32) == group {
                tree.look(&query, seeker);
            }
        }
    }
}

/// The rows of an order with their places, leaf by leaf, so that the search of a row finds in the
/// caches what the previous one looked at.
fn in_leaves(trees: &[Tree], order: &[u32], rows: usize) -> Vec<(u32, u32)> {
    let mut places = vec![None; rows];
    for (place, &row) in (0..).zip(order) {
        places[row as usize] = Some(place);
    }
    let all = trees.iter().flat_map(|tree| &tree.rows);
    all.filter_map(|&row| places[row as usize].map(|place| (row, place))).collect()
}

/// The values of the rows in the units of the sweep, row by row.
struct Points {
    values: Vec<f64>,
    width: usize,
    square: bool,
}

impl Points {
    fn new(space: &Space<'_>, run: &Run) -> Result<Self> {
        let features: Vec<usize> =
            (0..space.width()).filter(|&f| !space.features()[f].rule.is_constant()).collect();
        let width = features.len();
        let square = space.options().metric.is_euclidean();
        let units = Units::new(space, &features, width);
        let mut values = vec![0.0; space.rows() * width];
        let mut column = Vec::new();
        for (place, &feature) in features.iter().enumerate() {
            run.check()?;
            units.copy(space, feature, &mut column);
            for (point, &value) in values.chunks_exact_mut(width).zip(&column) {
                point[place] = value;
            }
        }
        Ok(Self { values, width, square })
    }

    fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    fn row(&self, row: u32) -> &[f64] {
        &self.values[row as usize * self.width..][..self.width]
    }
}

/// A query row.
struct Query<'p> {
    row: u32,
    values: &'p [f64],
    square: bool,
}

impl Query<'_> {
    /// The contribution of a difference to a distance.
    #[inline]
    fn term(&self, difference: f64) -> f64 {
        if self.square { difference * difference } else { difference.abs() }
    }
}

/// The rows of one class in nested boxes.
struct Tree {
    width: usize,
    /// Rows of the table, leaf by leaf; all leaves except the last are full.
    rows: Vec<u32>,
    /// The values of the rows, leaf by leaf and feature by feature; infinite for lanes without a
    /// row.
    values: Vec<f64>,
    /// The smallest and then the largest values of every box; a box comes before its halves.
    boxes: Vec<f64>,
}

/// A box with its leaves. If it has two or more, the box after it contains their first half
/// (rounded down).
#[derive(Clone, Copy)]
struct Part {
    at: usize,
    first_leaf: usize,
    leaves: usize,
}

impl Part {
    fn halves(self) -> [Self; 2] {
        let left = self.leaves / 2;
        // A box of L leaves and all boxes in it are 2 L - 1 boxes.
        [
            Self { at: self.at + 1, first_leaf: self.first_leaf, leaves: left },
            Self {
                at: self.at + 2 * left,
                first_leaf: self.first_leaf + left,
                leaves: self.leaves - left,
            },
        ]
    }
}

impl Tree {
    fn new(points: &Points, mut rows: Vec<u32>, run: &Run) -> Result<Self> {
        let width = points.width;
        let leaves = rows.len().div_ceil(LEAF);
        let mut boxes = vec![0.0; (2 * leaves).saturating_sub(1) * 2 * width];
        if leaves > 0 {
            split(points, &mut rows, &mut boxes, run)?;
        }
        let mut values = vec![f64::INFINITY; leaves * width * LEAF];
        for (rows, values) in rows.chunks(LEAF).zip(values.chunks_exact_mut(width * LEAF)) {
            for (lane, &row) in rows.iter().enumerate() {
                for (feature, &value) in points.row(row).iter().enumerate() {
                    values[feature * LEAF + lane] = value;
                }
            }
        }
        Ok(Self { width, rows, values, boxes })
    }

    fn look(&self, query: &Query<'_>, seeker: &mut impl Seeker) {
        let leaves = self.rows.len().div_ceil(LEAF);
        if leaves > 0 && seeker.reach().covers(self.to_box(0, query)) {
            self.look_into(Part { at: 0, first_leaf: 0, leaves }, query, seeker);
        }
    }

    /// Visits the nearer half first, so that the reach shrinks early.
    fn look_into(&self, part: Part, query: &Query<'_>, seeker: &mut impl Seeker) {
        if part.leaves == 1 {
            self.look_at_leaf(part.first_leaf, query, seeker);
            return;
        }
        let [first, second] = part.halves();
        let first = (self.to_box(first.at, query), first);
        let second = (self.to_box(second.at, query), second);
        let nearest_first = if second.0 < first.0 { [second, first] } else { [first, second] };
        for (distance, half) in nearest_first {
            if seeker.reach().covers(distance) {
                self.look_into(half, query, seeker);
            }
        }
    }

    /// The unrounded distance to the nearest point of a box.
    #[inline]
    fn to_box(&self, at: usize, query: &Query<'_>) -> f64 {
        let (least, greatest) =
            self.boxes[at * 2 * self.width..(at + 1) * 2 * self.width].split_at(self.width);
        let mut sum = 0.0;
        for ((&value, least), greatest) in query.values.iter().zip(least).zip(greatest) {
            sum += query.term((least - value).max(value - greatest).max(0.0));
        }
        sum
    }

    #[inline]
    fn look_at_leaf(&self, leaf: usize, query: &Query<'_>, seeker: &mut impl Seeker) {
        let values = &self.values[leaf * self.width * LEAF..(leaf + 1) * self.width * LEAF];
        let mut sums = [0.0; LEAF];
        for (column, &value) in values.chunks_exact(LEAF).zip(query.values) {
            for (sum, other) in sums.iter_mut().zip(column) {
                *sum += query.term(value - other);
            }
        }
        let rows = &self.rows[leaf * LEAF..self.rows.len().min((leaf + 1) * LEAF)];
        for (&row, &sum) in rows.iter().zip(&sums) {
            if seeker.reach().covers(sum) && row != query.row {
                let distance = round(sum);
                if distance <= seeker.reach().limit {
                    seeker.offer(distance, row);
                }
            }
        }
        seeker.end_leaf();
    }
}

/// Computes the box of the rows. Splits them at the median of the column with the largest range,
/// and by row where they are equal, into halves of complete leaves.
fn split(points: &Points, rows: &mut [u32], boxes: &mut [f64], run: &Run) -> Result<()> {
    run.check()?;
    let width = points.width;
    let (own, below) = boxes.split_at_mut(2 * width);
    let (least, greatest) = own.split_at_mut(width);
    least.fill(f64::INFINITY);
    greatest.fill(f64::NEG_INFINITY);
    for &row in rows.iter() {
        for (feature, &value) in points.row(row).iter().enumerate() {
            least[feature] = least[feature].min(value);
            greatest[feature] = greatest[feature].max(value);
        }
    }
    let leaves = rows.len().div_ceil(LEAF);
    if leaves == 1 {
        return Ok(());
    }
    let spread = |feature: usize| greatest[feature] - least[feature];
    let widest = (1..width).fold(0, |best, f| if spread(f) > spread(best) { f } else { best });
    let value = |row: u32| points.row(row)[widest];
    let left = leaves / 2;
    rows.select_nth_unstable_by(left * LEAF, |&a, &b| {
        value(a).total_cmp(&value(b)).then(a.cmp(&b))
    });
    let serial = rows.len() < ROWS_OF_SERIAL_SPLIT;
    let (left_rows, right_rows) = rows.split_at_mut(left * LEAF);
    let (left_boxes, right_boxes) = below.split_at_mut((2 * left - 1) * 2 * width);
    let mut build_left = || split(points, left_rows, left_boxes, run);
    let mut build_right = || split(points, right_rows, right_boxes, run);
    if serial {
        build_left()?;
        build_right()
    } else {
        let (left, right) = parallel::join(build_left, build_right);
        left.and(right)
    }
}

/// The reach of a search.
#[derive(Clone, Copy)]
struct Reach {
    /// The largest distance that counts.
    limit: f64,
    /// No distance beyond this rounds to the limit.
    fence: f64,
}

impl Reach {
    fn new(limit: f64) -> Self {
        // Rounding moves a distance by less than 1e-11 of itself, or from below the normal
        // numbers to 0.
        Self { limit, fence: limit * (1.0 + 1e-10) + f64::MIN_POSITIVE }
    }

    /// Whether an unrounded distance may be within the limit.
    #[inline]
    fn covers(self, distance: f64) -> bool {
        distance <= self.fence
    }
}

/// Receives the rows of a tree.
trait Seeker {
    /// Its current reach.
    fn reach(&self) -> Reach;

    /// Receives a row at a rounded distance that is within the reach.
    fn offer(&mut self, distance: f64, row: u32);

    /// Called after all rows of a leaf, so that the reach can shrink.
    fn end_leaf(&mut self) {}
}

/// The k nearest rows and those tied with the last of them; of the latter only the number, if they
/// are many.
struct Nearest {
    options: NearestOptions,
    lists: KLeast<f64>,
    reach: Reach,
    /// Whether the list has candidates that the reach does not include yet.
    is_behind: bool,
}

impl Nearest {
    /// The only list.
    const LIST: [usize; 2] = [0, 0];

    /// Prepares the search for the k nearest of `rows` rows.
    fn new(options: NearestOptions, rows: usize) -> Self {
        let lists = KLeast::new(1, options.k, &[rows]);
        Self { options, lists, reach: Reach::new(f64::MAX), is_behind: false }
    }

    fn clear(&mut self) {
        // Ties are counted, so that a list never overflows, here and below.
        let _ = self.lists.begin(Self::LIST, (&[], &[]), 0.0);
        self.reach = Reach::new(f64::MAX);
        self.is_behind = false;
    }

    /// The rows found.
    fn listed(&self) -> FoundList {
        let (kept, ties) = (self.lists.candidates(Self::LIST), self.lists.ties(Self::LIST));
        let limit = self.reach.limit;
        if ties > 0 {
            return FoundList { entries: Vec::new(), unlisted: kept.len() as u32 + ties, limit };
        }
        let mut entries = kept.to_vec();
        entries.sort_unstable_by(nearer);
        if self.options.ties == Ties::First {
            entries.truncate(self.options.k);
        }
        FoundList { entries, unlisted: 0, limit }
    }
}

impl Seeker for Nearest {
    fn reach(&self) -> Reach {
        self.reach
    }

    fn offer(&mut self, distance: f64, row: u32) {
        self.is_behind = true;
        if self.lists.offer(Self::LIST, distance, row) {
            let _ = self.lists.sift(Self::LIST, 0.0);
        }
    }

    fn end_leaf(&mut self) {
        if std::mem::take(&mut self.is_behind) {
            let _ = self.lists.sift(Self::LIST, 0.0);
            self.reach = Reach::new(self.lists.kth(Self::LIST).min(f64::MAX));
        }
    }
}

/// All rows within a limit.
struct Within<'e> {
    reach: Reach,
    entries: &'e mut Vec<Entry>,
}

impl Seeker for Within<'_> {
    fn reach(&self) -> Reach {
        self.reach
    }

    fn offer(&mut self, distance: f64, row: u32) {
        self.entries.push((distance, row));
    }
}
