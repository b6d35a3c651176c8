//! SQL through a real parser: which statements drop, empty, or change every
//! row. What the parser cannot read, or reads otherwise than some database
//! would, is left to the word scan of `sql`.

use sqlparser::ast::{
    AlterTableOperation, BinaryOperator, Expr, ObjectType, Query, SetExpr, Statement, UnaryOperator, Value,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

/// Longer text is not parsed: `a+a+a…` becomes a tree as deep as it is long.
const TEXT_MAX: usize = 4 << 10;
/// Deeper brackets are not parsed: the parser tries each in several ways.
const BRACKETS_MAX: usize = 6;
/// Its own limit; one step of the parser takes much of the stack.
const DEPTH_MAX: usize = 12;
/// A statement is shown as long as this.
const SHOWN_MAX: usize = 80;

/// What the parser makes of a text.
pub(super) struct Parsed {
    /// The statements that drop data, shortened.
    pub(super) drops: Vec<String>,
    /// Every database would read the text this way.
    pub(super) sure: bool,
}

/// The statements of `text` that drop data; nothing if it cannot be parsed.
pub(super) fn parsed(text: &str) -> Option<Parsed> {
    if text.len() > TEXT_MAX || brackets(text) > BRACKETS_MAX {
        return None;
    }
    let parser = Parser::new(&GenericDialect {}).with_recursion_limit(DEPTH_MAX);
    let statements = parser.try_with_sql(text).ok()?.parse_statements().ok()?;
    let undone = rolled_back(&statements);
    let kept = statements.iter().zip(&undone).filter(|(_, undone)| !**undone).map(|(one, _)| one);
    let drops = kept.filter(|one| drops_data(one)).take(16).map(shown).collect();
    // Comments that run, quotes of one dialect only, escapes of another.
    let sure = !["/*!", "$$", "\\", "#", "`", "--"].iter().any(|sign| text.contains(sign));
    Some(Parsed { drops, sure })
}

fn shown(statement: &Statement) -> String {
    statement.to_string().chars().take(SHOWN_MAX).collect()
}

/// The deepest nesting of brackets, quoted ones included.
fn brackets(text: &str) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Which statements stand in a transaction that is rolled back. Where more
/// than rows change, some databases commit by themselves, so those do not count.
fn rolled_back(statements: &[Statement]) -> Vec<bool> {
    let mut undone = vec![false; statements.len()];
    let mut open: Option<usize> = None;
    for (at, statement) in statements.iter().enumerate() {
        match statement {
            Statement::StartTransaction { .. } => open = Some(at),
            Statement::Rollback { savepoint: None, .. } => {
                let inside = open.take().map_or(0..0, |start| start..at);
                undone.iter_mut().take(inside.end).skip(inside.start).for_each(|one| *one = true);
            }
            Statement::Query(_) | Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) => {}
            _ => open = None,
        }
    }
    undone
}

fn drops_data(statement: &Statement) -> bool {
    match statement {
        Statement::Drop { object_type, .. } => matches!(
            object_type,
            ObjectType::Table
                | ObjectType::Schema
                | ObjectType::Database
                | ObjectType::MaterializedView
                | ObjectType::Stage
        ),
        Statement::Truncate(_) => true,
        Statement::AlterTable(table) => table.operations.iter().any(|one| {
            matches!(one, AlterTableOperation::DropColumn { .. } | AlterTableOperation::DropPartitions { .. })
        }),
        Statement::Delete(delete) => delete.limit.is_none() && is_every(delete.selection.as_ref()),
        Statement::Update(update) => update.limit.is_none() && is_every(update.selection.as_ref()),
        Statement::Query(query) => query_drops(query),
        Statement::Explain { analyze, statement, .. } => *analyze && drops_data(statement),
        Statement::Prepare { statement, .. } => drops_data(statement),
        _ => false,
    }
}

/// `WITH gone AS (DELETE FROM t RETURNING *) SELECT …` deletes.
fn query_drops(query: &Query) -> bool {
    let inner = query.with.iter().flat_map(|with| &with.cte_tables).any(|one| query_drops(&one.query));
    inner || body_drops(&query.body)
}

fn body_drops(body: &SetExpr) -> bool {
    match body {
        SetExpr::Query(query) => query_drops(query),
        SetExpr::SetOperation { left, right, .. } => body_drops(left) || body_drops(right),
        SetExpr::Insert(one) | SetExpr::Update(one) | SetExpr::Delete(one) | SetExpr::Merge(one) => {
            drops_data(one)
        }
        _ => false,
    }
}

/// No condition, or one every row meets.
fn is_every(condition: Option<&Expr>) -> bool {
    condition.is_none_or(is_always)
}

fn is_always(condition: &Expr) -> bool {
    match condition {
        Expr::Nested(inner) => is_always(inner),
        Expr::Value(value) => match &value.value {
            Value::Boolean(truth) => *truth,
            Value::Number(number, _) => number.parse::<f64>().is_ok_and(|number| number != 0.0),
            _ => false,
        },
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            left == right && matches!(left.as_ref(), Expr::Value(_) | Expr::Identifier(_))
        }
        Expr::BinaryOp { left, op: BinaryOperator::Or, right } => is_always(left) || is_always(right),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => is_always(left) && is_always(right),
        Expr::BinaryOp { left, op, right } => holds(left, op, right),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => is_never(expr),
        Expr::IsTrue(inner) => is_always(inner),
        _ => false,
    }
}

/// `2 > 1`: numbers compared, whatever the row.
fn holds(left: &Expr, op: &BinaryOperator, right: &Expr) -> bool {
    let (Some(left), Some(right)) = (number(left), number(right)) else { return false };
    match op {
        BinaryOperator::Gt => left > right,
        BinaryOperator::Lt => left < right,
        BinaryOperator::GtEq => left >= right,
        BinaryOperator::LtEq => left <= right,
        BinaryOperator::NotEq => (left - right).abs() > 0.0,
        _ => false,
    }
}

fn number(value: &Expr) -> Option<f64> {
    match value {
        Expr::Nested(inner) => number(inner),
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => number.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// A condition no row meets.
fn is_never(condition: &Expr) -> bool {
    match condition {
        Expr::Nested(inner) => is_never(inner),
        Expr::Value(value) => match &value.value {
            Value::Boolean(truth) => !truth,
            Value::Number(number, _) => number.parse::<f64>().is_ok_and(|number| number == 0.0),
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{BRACKETS_MAX, TEXT_MAX, parsed};

    /// Shapes a parser goes deep for, as large as they are let in.
    #[test]
    fn no_text_is_too_deep() {
        let nested = format!("{}1{}", "(".repeat(BRACKETS_MAX), ")".repeat(BRACKETS_MAX));
        let fill = |head: &str, piece: &str| {
            let count = TEXT_MAX.saturating_sub(head.len()) / piece.len();
            format!("{head}{}", piece.repeat(count))
        };
        for text in [
            fill("delete from t where a", "+a"),
            fill("delete from t where a", " or a"),
            fill("delete from t where ", "not "),
            fill("select ", "- "),
            fill("select 1", " union select 1"),
            fill("delete from t where ", "case when "),
            fill("select 1", &format!("+{nested}")),
            fill("select ", &format!("{nested},")),
            fill("delete from t where a in ", "(select "),
            fill("delete from t where a", ".a"),
            fill("delete from t where a", "::int"),
            fill("", "begin "),
            fill("", "explain "),
            fill("with a as (select 1) ", "select * from a,"),
            fill("select * from a", " join a"),
            fill("", "delete from t;"),
            fill("", "'"),
            fill("select a", " between a and a"),
        ] {
            let _ = parsed(&text);
        }
    }
    /// The deepest text the reader follows leaves room for the parser.
    #[test]
    fn a_statement_deep_inside_is_read() {
        let statement = format!("psql -c 'delete from t where {} 1'", "not ".repeat(60));
        for depth in [1, 40, 80, 95, 200] {
            let text = format!("{}{statement}{}", "( ".repeat(depth), " )".repeat(depth));
            let _ = crate::read(&text, &crate::ReadContext::default());
            let text = format!("{}{statement}{}", "$( ".repeat(depth), " )".repeat(depth));
            let _ = crate::read(&text, &crate::ReadContext::default());
        }
    }
}
