//! XXH3 of 64 bits as xxHash 0.7.2 previewed it, seed 0.

/// First 192 bytes of the secret; the final XXH3 kept it.
const SECRET: [u8; 192] = secret();

const PRIME32_1: u64 = 0x9e37_79b1;
const PRIME32_2: u64 = 0x85eb_ca77;
const PRIME32_3: u64 = 0xc2b2_ae3d;
const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;
const PRIME64_4: u64 = 0x85eb_ca77_c2b2_ae63;
const PRIME64_5: u64 = 0x27d4_eb2f_1656_67c5;

const STRIPE: usize = 64;
const STRIPES_PER_BLOCK: usize = (SECRET.len() - STRIPE) / 8;
const BLOCK: usize = STRIPE * STRIPES_PER_BLOCK;

/// The 64-bit hash of new Bloom and Ribbon filters.
#[inline]
pub fn hash64(data: &[u8]) -> u64 {
    match data.len() {
        0..=16 => hash_0_to_16(data),
        17..=128 => hash_17_to_128(data),
        129..=240 => hash_129_to_240(data),
        _ => hash_long(data),
    }
}

#[inline]
fn hash_0_to_16(data: &[u8]) -> u64 {
    let length = data.len();
    if length > 8 {
        let low = word64(data, 0) ^ secret64(0);
        let high = word64(data, length - 8) ^ secret64(8);
        let sum = (length as u64).wrapping_add(low).wrapping_add(high);
        avalanche(sum.wrapping_add(fold(low, high)))
    } else if length >= 4 {
        let word = word32(data, 0) | word32(data, length - 4) << 32;
        let keyed = word ^ secret64(0);
        let mut mixed = (length as u64).wrapping_add((keyed ^ keyed >> 51).wrapping_mul(PRIME32_1));
        mixed = (mixed ^ mixed >> 47).wrapping_mul(PRIME64_2);
        avalanche(mixed)
    } else if length > 0 {
        let [first, middle, last] = [data[0], data[length >> 1], data[length - 1]];
        let combined = u32::from_le_bytes([first, middle, last, length as u8]);
        let keyed = combined ^ secret64(0) as u32;
        avalanche(u64::from(keyed).wrapping_mul(PRIME64_1))
    } else {
        fold(secret64(0), PRIME64_2)
    }
}

#[inline]
fn hash_17_to_128(data: &[u8]) -> u64 {
    let length = data.len();
    let mut sum = (length as u64).wrapping_mul(PRIME64_1);
    if length > 32 {
        if length > 64 {
            if length > 96 {
                sum = sum.wrapping_add(mix16(data, 48, 96));
                sum = sum.wrapping_add(mix16(data, length - 64, 112));
            }
            sum = sum.wrapping_add(mix16(data, 32, 64));
            sum = sum.wrapping_add(mix16(data, length - 48, 80));
        }
        sum = sum.wrapping_add(mix16(data, 16, 32));
        sum = sum.wrapping_add(mix16(data, length - 32, 48));
    }
    sum = sum.wrapping_add(mix16(data, 0, 0));
    sum = sum.wrapping_add(mix16(data, length - 16, 16));
    avalanche(sum)
}

#[inline(never)]
fn hash_129_to_240(data: &[u8]) -> u64 {
    const START_OFFSET: usize = 3;
    const LAST_SECRET: usize = 136 - 17;
    let length = data.len();
    let mut sum = (length as u64).wrapping_mul(PRIME64_1);
    for round in 0..8 {
        sum = sum.wrapping_add(mix16(data, 16 * round, 16 * round));
    }
    sum = avalanche(sum);
    for round in 8..length / 16 {
        sum = sum.wrapping_add(mix16(data, 16 * round, 16 * (round - 8) + START_OFFSET));
    }
    avalanche(sum.wrapping_add(mix16(data, length - 16, LAST_SECRET)))
}

type Lanes = [u64; 8];

#[inline(never)]
fn hash_long(data: &[u8]) -> u64 {
    const LAST_STRIPE_SECRET: usize = SECRET.len() - STRIPE - 7;
    const MERGE_SECRET: usize = 11;
    let length = data.len();
    let mut lanes: Lanes =
        [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1];
    let mut blocks = data.chunks_exact(BLOCK);
    for block in blocks.by_ref() {
        for (round, stripe) in block.chunks_exact(STRIPE).enumerate() {
            accumulate(&mut lanes, stripe, 8 * round);
        }
        scramble(&mut lanes);
    }
    for (round, stripe) in blocks.remainder().chunks_exact(STRIPE).enumerate() {
        accumulate(&mut lanes, stripe, 8 * round);
    }
    if !length.is_multiple_of(STRIPE) {
        accumulate(&mut lanes, &data[length - STRIPE..], LAST_STRIPE_SECRET);
    }
    let mut sum = (length as u64).wrapping_mul(PRIME64_1);
    for pair in 0..4 {
        let at = MERGE_SECRET + 16 * pair;
        let low = lanes[2 * pair] ^ secret64(at);
        let high = lanes[2 * pair + 1] ^ secret64(at + 8);
        sum = sum.wrapping_add(fold(low, high));
    }
    avalanche(sum)
}

/// Data goes into its own lane; the final XXH3 swaps neighbours here.
#[inline]
fn accumulate(lanes: &mut Lanes, stripe: &[u8], secret_at: usize) {
    for (index, lane) in lanes.iter_mut().enumerate() {
        let value = word64(stripe, 8 * index);
        let keyed = value ^ secret64(secret_at + 8 * index);
        let product = (keyed & 0xffff_ffff).wrapping_mul(keyed >> 32);
        *lane = lane.wrapping_add(value).wrapping_add(product);
    }
}

#[inline]
fn scramble(lanes: &mut Lanes) {
    const SCRAMBLE_SECRET: usize = SECRET.len() - STRIPE;
    for (index, lane) in lanes.iter_mut().enumerate() {
        let keyed = *lane ^ *lane >> 47 ^ secret64(SCRAMBLE_SECRET + 8 * index);
        *lane = keyed.wrapping_mul(PRIME32_1);
    }
}

#[inline(always)]
fn mix16(data: &[u8], at: usize, secret_at: usize) -> u64 {
    let low = word64(data, at) ^ secret64(secret_at);
    let high = word64(data, at + 8) ^ secret64(secret_at + 8);
    fold(low, high)
}

/// The halves of the 128-bit product, xored.
#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

#[inline(always)]
fn avalanche(mut hash: u64) -> u64 {
    hash ^= hash >> 37;
    hash = hash.wrapping_mul(PRIME64_3);
    hash ^ hash >> 32
}

#[inline(always)]
fn word32(data: &[u8], at: usize) -> u64 {
    u64::from(crate::coding::decode_fixed32(data, at))
}

#[inline(always)]
fn word64(data: &[u8], at: usize) -> u64 {
    crate::coding::decode_fixed64(data, at)
}

#[inline(always)]
fn secret64(at: usize) -> u64 {
    crate::coding::decode_fixed64(&SECRET, at)
}

const fn secret() -> [u8; 192] {
    const HEX: &[u8; 384] = b"\
        b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f\
        cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c\
        3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8\
        a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364\
        eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e\
        2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e";
    const fn nibble(digit: u8) -> u8 {
        match digit {
            b'0'..=b'9' => digit - b'0',
            _ => digit - b'a' + 10,
        }
    }
    let mut bytes = [0; 192];
    let mut index = 0;
    while index < bytes.len() {
        bytes[index] = nibble(HEX[2 * index]) << 4 | nibble(HEX[2 * index + 1]);
        index += 1;
    }
    bytes
}
